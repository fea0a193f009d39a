"""First syzygies of constraint matrices and the rank from their resolutions (thesis, sections 4.3.1 to 4.3.3)."""

from flint import fmpz_mpoly_ctx

from dalembert.loops.syzygies import first_syzygies, plain, resolution_rank


def ring(names):
    ctx = fmpz_mpoly_ctx.get(tuple(names.split()), "degrevlex")
    return ctx, ctx.gens()


def test_triangle_turns_as_one_body():
    """Modulo the closure the kernel is free: x, y, and equal rates of the three angles."""
    ctx, (s1, c1, s2, c2, s3, c3) = ring("s1 c1 s2 c2 s3 c3")
    zero = ctx.constant(0)
    matrix = [[zero, zero, 3 * s1, 4 * s2, 5 * s3], [zero, zero, -3 * c1, -4 * c2, -5 * c3]]
    closure = [3 * c1 + 4 * c2 + 5 * c3, 3 * s1 + 4 * s2 + 5 * s3]
    found = [plain(psi, ctx.names()) for psi in first_syzygies(matrix, closure, degree=1)]
    assert ["1", "0", "0", "0", "0"] in found
    assert len(found) == 3
    assert any(psi[:2] == ["0", "0"] and psi[2] == psi[3] == psi[4] for psi in found)
    assert resolution_rank(matrix, closure, degree=1) == (3, [3, 0])


def test_slider_crank_has_one_syzygy():
    """Psi = (l2 c2, -l2 c2 - l1 c1, l1 l2 sin(a12)) in absolute angles, here l1 = 1, l2 = 3."""
    ctx, (s1, c1, s2, c2) = ring("s1 c1 s2 c2")
    matrix = [[-s1 - 3 * s2, -3 * s2, ctx.constant(-1)], [c1 + 3 * c2, 3 * c2, ctx.constant(0)]]
    freedom, counts = resolution_rank(matrix, degree=2)
    assert (freedom, counts) == (1, [1, 0])
    (psi,) = first_syzygies(matrix, degree=2)
    assert set(psi[0]) == {(0, 0, 0, 1)}
    assert set(psi[1]) == {(0, 1, 0, 0), (0, 0, 0, 1)}
    assert set(psi[2]) == {(1, 0, 0, 1), (0, 1, 1, 0)}


def test_saliere_kernel_exists_only_on_the_closure():
    ctx, (s1, c1, s2, c2, s3, c3) = ring("s1 c1 s2 c2 s3 c3")
    zero = ctx.constant(0)
    matrix = [[zero, -s2, s3], [c1 * s2, s1 * c2, zero], [-s1 * s2, c1 * c2, -c3]]
    assert first_syzygies(matrix, degree=2) == []
    closure = [c2 - c3, s1 * s2, c1 * s2 - s3] + [s**2 + c**2 - 1 for s, c in ((s1, c1), (s2, c2), (s3, c3))]
    found = [plain(psi, ctx.names()) for psi in first_syzygies(matrix, closure, degree=2)]
    assert ["s1", "0", "0"] in found
    assert any(psi[0] == "0" and {psi[1].lstrip("-"), psi[2].lstrip("-")} == {"s2", "s3"} for psi in found)
    freedom, _ = resolution_rank(matrix, closure, degree=2, steps=3)
    assert freedom is None  # the resolution over the quotient does not end


def test_printed_matrix_of_the_triangle_misses_a_minus():
    """The rigid turn of all three rods is a motion; the printed entry (2,4) = +l2 cos a2 forbids it."""
    import numpy as np

    lengths = np.array([3.0, 4.0, 5.0])
    angles = np.array([0.0, np.pi / 2, np.pi + np.arctan2(4, 3)])
    assert np.abs(lengths @ np.exp(1j * angles)) < 1e-12
    rows = np.array([lengths * np.sin(angles), -lengths * np.cos(angles)])
    angles[1] = 0.3  # a posture where the entry does not vanish by chance
    turned = angles + 0.3
    right = np.array([lengths * np.sin(turned), -lengths * np.cos(turned)])
    printed = right.copy()
    printed[1, 1] *= -1
    closed = np.exp(1j * 0.3) * (lengths @ np.exp(1j * angles))
    assert np.allclose(right @ np.ones(3), [closed.imag, -closed.real])  # the rate of the closure itself
    assert not np.allclose(printed @ np.ones(3), [closed.imag, -closed.real])
    assert np.allclose(rows @ np.ones(3), 0.0, atol=1e-12)
