"""Every run draws the same examples, opens no window and leaves no cache behind."""

import atexit
import importlib.util
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ["MPLBACKEND"] = "Agg"
os.environ.setdefault("DALEMBERT_GRACE", "10")  # a crowded machine is slow, and that says nothing about the code

if os.environ.get("CI") == "true" and "NUMBA_CACHE_DIR" not in os.environ:
    # Set before numba is imported; the workers of pytest-xdist inherit it.
    _caches = tempfile.mkdtemp(prefix="dalembert-caches-")
    os.environ["NUMBA_CACHE_DIR"] = os.path.join(_caches, "numba")
    os.environ["XDG_CACHE_HOME"] = _caches
    atexit.register(shutil.rmtree, _caches, ignore_errors=True)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # what runs in the background of a shell, and its children
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Shared machines are slow now and then, and that says nothing about the code: no deadlines.
_patient = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", derandomize=True, **_patient)
settings.register_profile("explore", max_examples=1000, **_patient)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def families():
    """The linkages of the examples, as builders."""
    path = Path(__file__).parents[1] / "examples" / "loops" / "families.py"
    spec = importlib.util.spec_from_file_location("loop_families", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["loop_families"] = module
    spec.loader.exec_module(module)
    return module
