"""The satellite of the thesis by every formalism: one theorem at three levels, and how far their motions differ."""

from pathlib import Path

import dalembert as da
from dalembert import analysis

m = da.load(Path(__file__).parents[1] / "satellite.lsd")

for name in ("newton-euler", "lagrange", "kane", "mixed"):
    equations = m.equations(name)
    print(equations.show(level="vector").title)
    for line in equations.show(level="vector").lines:
        print("   ", line.text)
    equations = equations.expand()
    print("  one level further:")
    for line in equations.show().lines[:3]:
        print("   ", line.text)

table = analysis.compare(m.layout())
print(table)
assert table.disagreement < 1e-9
