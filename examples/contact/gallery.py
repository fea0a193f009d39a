"""Every LSD example of this folder, run and animated: what its contacts did, in a line, and a page that plays."""

from __future__ import annotations

from pathlib import Path

import dalembert as da

ENDS = {"bouncing_ball": 10, "moving_table": 0.3, "cam_follower": 0.12, "impact_damper": 5, "stick_slip": 3}
ENDS |= {"double_pendulum_stops": 1, "block_on_slope": 100, "newtons_cradle": 2, "corner_rod": 0.9, "billiard": 1}
ENDS |= {"rocking_block": 2, "painleve_rod": 0.05, "spinning_ball": 1, "spinning_coin": 1, "woodpecker": 1.2}
ENDS |= {"impacting_stick": 1, "slider_crank_clearance": 0.1, "suspension": 1}
LAWS = {"woodpecker": "newton"}
"""Laws of impact other than the usual ones: that of the work the model is taken from."""


def main() -> None:
    for path in sorted(Path(__file__).parent.glob("*.lsd")):
        motion = da.load(path).simulate((0, ENDS[path.stem]), impacts=LAWS.get(path.stem, "auto"))
        motion.animate(f"{path.stem}.html")
        motion.plot_contacts().savefig(f"{path.stem}.png")
        events = ", ".join(f"{name} x{len(times)}" for name, times in motion.contacts.times().items())
        print(f"{path.stem}: {events or 'nothing happens'}")


if __name__ == "__main__":
    main()
