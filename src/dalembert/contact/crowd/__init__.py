"""Many free bodies in contact: broad phase, narrow phase and sweeps in machine code (numba, kept on disk)."""
