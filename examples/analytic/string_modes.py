"""A string and a beam from their Lagrangian densities: harmonics n pi, and Euler's 4.7300, 7.8532, 10.9956."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from dalembert import analytic as an

string = an.FieldDensity("mu*u_t**2/2 - S*u_x**2/2", "u", "t x")
print("wave equation:", string.equations["u"])
print("energy and its flow:", string.energy_current())
modes = an.field_modes(string, 1.0, {"mu": 1.0, "S": 1.0})
print("string:", modes.frequencies / np.pi)
assert np.allclose(modes.frequencies, np.pi * np.arange(1, 5), rtol=1e-9)

beam = an.FieldDensity("mu*u_t**2/2 - EI*u_xx**2/2", "u", "t x")
clamped = an.field_modes(beam, 1.0, {"mu": 1.0, "EI": 1.0}, ends="clamped")
print("clamped beam:", np.sqrt(clamped.frequencies))
assert np.allclose(np.sqrt(clamped.frequencies), [4.730041, 7.853205, 10.995608, 14.137165], atol=1e-5)

figure, axes = plt.subplots(1, 2, figsize=(8, 3.5), sharey=True)
for ax, found, title in ((axes[0], modes, "string"), (axes[1], clamped, "clamped beam")):
    ax.plot(found.x, found.shapes.T)
    ax.set_title(title)
figure.savefig("string_modes.png", dpi=110)
