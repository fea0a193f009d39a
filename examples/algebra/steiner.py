"""Moving an inertia tensor: Huygens' theorem by expansion, and the parallel-axis formula read off as a matrix."""

from dalembert import algebra as al

a, x = al.vectors("a x")  # from O to G, from G to a point of the body
m = al.scalar("m")

about_o = -m * ~(a + x) * ~(a + x)
print("expanded:   ", al.expand(about_o))

# Summed over the body, terms linear in x vanish, for G is the centre of mass.
kept = al.substitute(al.expand(about_o), {~a * ~x: 0, ~x * ~a: 0})
print("about O:    ", kept)
assert al.is_zero(kept - (-m * ~a * ~a - m * ~x * ~x))

# The familiar form with dot products and a dyad.
familiar = m * (al.dot(a, a) * al.identity(3) - al.dyad(a, a))
print("at G:       ", familiar)
assert al.is_zero(-m * ~a * ~a - familiar)

# Energy of a rotation about O: the tensor is what stands between two angular velocities.
w = al.vector("w")
energy = m * al.dot(al.cross(w, a), al.cross(w, a)) / 2
assert al.is_zero(energy - al.dot(w, familiar * w) / 2)
print("energy:     ", al.simplify(energy))
