"""What twenty contacts cost that never touch: `python benchmarks/contact_watching.py`, processor time, best of 7."""

from __future__ import annotations

import time

import dalembert as da


def arm(joints: int, contacts: int) -> da.Mechanism:
    """A chain of bars, with balls on them high above a floor."""
    m, last = da.Mechanism("arm"), da.earth
    for k in range(joints):
        bar = m.body(f"b{k}", mass=1, inertia=[0.1] * 3, centre=[0.5, 0, 0])
        m.join(last if k == 0 else last.at([1, 0, 0]), bar, da.revolute("z" if k % 2 else "y"), name=f"j{k}")
        last = bar
    m.gravity, m.start = [0, 0, -9.81], {f"j{k}.th": 0.3 for k in range(joints)}
    for c in range(contacts):
        ball = da.Sphere(m.bodies[f"b{c % joints}"].at([0.2 + 0.03 * c, 0, 0]), 0.05)
        m.contact(ball, da.Plane(da.earth.at([0, 0, -20 - c])), restitution=0.5, name=f"c{c}")
    return m


def seconds(m: da.Mechanism) -> float:
    m.simulate((0, 0.1))
    found = []
    for _ in range(7):
        begin = time.process_time()
        m.simulate((0, 20))
        found.append(time.process_time() - begin)
    return min(found)


if __name__ == "__main__":
    for joints in (2, 6):
        alone, watched = seconds(arm(joints, 0)), seconds(arm(joints, 20))
        print(f"{joints} joints: {1e3 * alone:.1f} ms alone, {1e3 * watched:.1f} ms watched, {watched / alone:.2f}")
