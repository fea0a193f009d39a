"""A heavy top without components: Euler's equation, its two first integrals, and their proof."""

from dalembert import algebra as al

w = al.vector("w")  # angular velocity
R = al.matrix("R", rotation=True, turning=w)  # attitude of the top
J = al.matrix("J", symmetric=True, constant=True)  # inertia about the fixed point, in the body
r = al.vector("r", constant=True)  # centre of mass, in the body
g = al.vector("g", constant=True)  # gravity
m = al.scalar("m", constant=True)

inertia = R * J * R.T
torque = al.cross(R * r, m * g)
momentum = inertia * w

# Euler: the rate of the angular momentum is the torque; solve it for w'.
matrix, rest = al.linear_part(al.dt(momentum), al.dt(w))
acceleration = matrix**-1 * (torque - rest)
print("w' =", al.simplify(acceleration))


def along_the_motion(quantity: al.Term) -> al.Term:
    """The rate of a quantity once Euler's equation is used."""
    return al.substitute(al.dt(quantity), {al.dt(w): acceleration})


energy = al.dot(w, momentum) / 2 - m * al.dot(g, R * r)
vertical = al.dot(g, momentum)
for name, quantity in {"energy": energy, "vertical momentum": vertical}.items():
    verdict = al.is_zero(along_the_motion(quantity))
    print(f"rate of the {name}: {verdict}")
    assert verdict
assert not al.is_zero(along_the_motion(al.dot(momentum, momentum)))
