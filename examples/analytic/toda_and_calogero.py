"""Toda's chain and Calogero's particles: Lax matrices whose eigenvalues are kept, three integrals in involution."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from dalembert import analytic as an

kinetic = "(px**2 + py**2 + pz**2)/2"
toda = an.System("x y z", H=f"{kinetic} + exp(x - y) + exp(y - z)", momenta="px py pz")
calogero = an.System("x y z", H=f"{kinetic} + 1/(x-y)**2 + 1/(y-z)**2 + 1/(x-z)**2", momenta="px py pz")
start = {"x": -1.0, "y": 0.2, "z": 1.3, "px": 1.5, "py": 0.0, "pz": -1.2}
figure, axes = plt.subplots(2, 2, figsize=(8, 6), sharex="col")
for column, (system, time) in enumerate(((toda, 8.0), (calogero, 8.0))):
    pair = an.find_lax_pair(system)
    print(pair.kind, pair.integrals, pair.independent)
    run = an.integrate(system, start, (0, time), {}, points=300)
    matrix = sp.lambdify([*system.hamilton().q, *system.hamilton().p], pair.L)
    spectra = np.array([np.linalg.eigvalsh(np.array(matrix(*q, *p), dtype=complex)) for q, p in zip(run.q.T, run.p.T)])
    assert np.ptp(spectra, axis=0).max() < 1e-8
    # far apart the momenta are the eigenvalues, in the reverse order of the start (Moser 1975)
    assert np.allclose(np.sort(run.p[:, -1]), spectra[0], atol=0.15)
    axes[0, column].plot(run.t, run.q.T)
    axes[0, column].set_title(pair.kind)
    axes[1, column].plot(run.t, run.p.T, linewidth=0.8)
    axes[1, column].plot(run.t, spectra, "k--", linewidth=0.6)
    axes[1, column].set_xlabel("t")
axes[0, 0].set_ylabel("places")
axes[1, 0].set_ylabel("momenta, eigenvalues")
figure.savefig("toda_and_calogero.png", dpi=110)
