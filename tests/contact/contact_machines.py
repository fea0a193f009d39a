"""Small machines with contacts that several tests use."""

import dalembert as da


def ball(restitution=0.9):
    m = da.Mechanism("ball")
    m.join(da.earth, m.body("ball", mass=1), da.prismatic("z"), name="drop")
    m.gravity, m.start = [0, 0, -9.81], {"drop.x": 1.0}
    m.contact("drop.x >= 0", restitution=restitution, name="floor")
    return m


def upright():
    """A joint of plane motion in the xz plane: x, z and a turn about y."""
    return da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y"))
