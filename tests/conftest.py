"""Every run draws the same examples, opens no window and leaves no cache behind."""

import atexit
import os
import shutil
import tempfile

from hypothesis import HealthCheck, settings

os.environ["MPLBACKEND"] = "Agg"

if os.environ.get("CI") == "true" and "NUMBA_CACHE_DIR" not in os.environ:
    # Set before numba is imported; the workers of pytest-xdist inherit it.
    _caches = tempfile.mkdtemp(prefix="dalembert-caches-")
    os.environ["NUMBA_CACHE_DIR"] = os.path.join(_caches, "numba")
    os.environ["XDG_CACHE_HOME"] = _caches
    atexit.register(shutil.rmtree, _caches, ignore_errors=True)

# Shared machines are slow now and then, and that says nothing about the code: no deadlines.
_patient = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", derandomize=True, **_patient)
settings.register_profile("explore", max_examples=1000, **_patient)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
