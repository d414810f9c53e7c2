"""Compares the arrays of the sparse matrix s in two MATLAB files: check_mats.py OURS THEIRS"""

import sys

import h5py
import numpy as np

with h5py.File(sys.argv[1]) as ours, h5py.File(sys.argv[2]) as theirs:
    for name in ("data", "ir", "jc"):
        a, b = ours["s"][name], theirs["s"][name]
        if a.dtype != b.dtype or a.compression != b.compression or a.compression_opts != b.compression_opts:
            sys.exit(f"{name}: {a.dtype}, {a.compression} and {b.dtype}, {b.compression}")
        if not np.array_equal(a[:], b[:]):
            sys.exit(f"{name} differs")
    print(f"the same {a.shape[0] - 1} columns")
