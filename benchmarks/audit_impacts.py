"""Audit of impacts with several contacts that rub: `python benchmarks/audit_impacts.py [COUNT] [SEED]`.

Random metrics, rows and speeds (tests/contact/rubbing_impacts.py): momentum, energy, cones and Coulomb's law of every
answer, asked with other code than the solver's.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "contact"))

from rubbing_impacts import audit


def main() -> None:
    count, seed = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, int(sys.argv[2]) if len(sys.argv) > 2 else 0
    found = audit(count, seed)
    print(f"{count} impacts, contacts by state: {dict(found.told)}, without an answer: {found.unsolved}")
    print(f"momentum {found.momentum:.1e}, largest change of energy {found.gain:.1e}")
    print(f"beyond the cone {found.cone:.1e}, Coulomb's law {found.law:.1e}")


if __name__ == "__main__":
    main()
