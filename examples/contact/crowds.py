"""Crowds of balls: a billiard break, in which sliding becomes rolling, and a column of grains that falls apart."""

from __future__ import annotations

import math

import dalembert as da


def billiard_break(speed: float = 6.0, between: float = 0.06) -> da.Mechanism:
    """A ball without spin breaks a triangle of fifteen. Whatever they do to each other, when all of them roll they have
    together 5/7 of the momentum it came with (where they do not rub on each other: `between` = 0)."""
    m = da.Mechanism("billiard break")
    m.gravity = [0, 0, -9.81]
    radius, mass = 0.028575, 0.17
    places = [(-0.3, 0.0)]
    for row in range(5):
        places += [(1.0001 * math.sqrt(3) * radius * row, 1.0001 * radius * (2 * k - row)) for k in range(row + 1)]
    balls = []
    for k, (x, y) in enumerate(places):
        ball = m.body(f"ball{k}", mass=mass, inertia=[0.4 * mass * radius**2] * 3)
        m.join(da.earth, ball, da.free("quaternion"), name=f"b{k}")
        m.start |= {f"b{k}.x": x, f"b{k}.y": y, f"b{k}.z": radius}
        m.shape(ball, "sphere", radius, colour="#f4f0e6" if k == 0 else "#b5402a")
        balls.append(da.Sphere(ball, radius))
        m.contact(balls[-1], da.Plane(da.earth), friction=0.2, name=f"cloth{k}")
    m.contact(balls, restitution=0.95, friction=between, name="balls")
    m.start["b0.x'"] = speed
    return m


def granular_column(wide: int = 3, high: int = 8, friction: float = 0.5) -> da.Mechanism:
    """Grains in a column without walls: it falls apart into a heap, and the floor carries what the grains weigh."""
    m = da.Mechanism("granular column")
    m.gravity = [0, 0, -9.81]
    radius, mass = 0.02, 0.08
    grains = []
    for k in range(wide * wide * high):
        layer, row, place = k // wide**2, k // wide % wide, k % wide
        lean = 0.1 * radius * (layer % 2)
        grain = m.body(f"grain{k}", mass=mass, inertia=[0.4 * mass * radius**2] * 3)
        m.join(da.earth, grain, da.free("quaternion"), name=f"g{k}")
        m.start |= {f"g{k}.x": 2.02 * radius * place + lean, f"g{k}.y": 2.02 * radius * row + 2 * lean}
        m.start[f"g{k}.z"] = radius * (1.01 + 2.02 * layer)
        grains.append(da.Sphere(grain, radius))
    m.contact([*grains, da.Plane(da.earth)], friction=friction, rolling=0.05 * radius, name="grains")
    return m


if __name__ == "__main__":
    for machine, end, step in ((billiard_break(), 0.8, 2e-4), (granular_column(), 1.5, 1e-3)):
        motion = machine.simulate((0, end), method="moreau", max_step=step)
        motion.animate(f"{machine.name.replace(' ', '_')}.html")
        print(f"{machine.name}: {int(motion.contacts.pushing[-1])} contacts push at the end; {motion.message}")
