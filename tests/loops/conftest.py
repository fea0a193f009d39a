"""The linkages of the examples, as builders, and the random ones of this folder."""

import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "loops"
sys.path.append(str(Path(__file__).parent))


@pytest.fixture(scope="session")
def families():
    spec = importlib.util.spec_from_file_location("loop_families", FOLDER / "families.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["loop_families"] = module
    spec.loader.exec_module(module)
    return module
