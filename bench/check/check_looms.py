"""Whether two Loom files hold the same matrix, and whether loompy takes the first one for valid: check_looms.py OURS THEIRS"""

import sys

import h5py
import loompy
import numpy as np


def main(ours: str, theirs: str) -> None:
    validator = loompy.LoomValidator()
    if not validator.validate(ours, strictness="speconly"):
        sys.exit(f"{ours}: {'; '.join(validator.errors)}")
    with h5py.File(ours) as a, h5py.File(theirs) as b:
        x, y = a["matrix"], b["matrix"]
        if x.shape != y.shape:
            sys.exit(f"shapes {x.shape} and {y.shape}")
        for row in range(0, x.shape[0], 1024):
            if not np.array_equal(x[row : row + 1024], y[row : row + 1024]):
                sys.exit(f"values differ in rows from {row} on")
        for path in ("row_attrs/Gene", "col_attrs/CellID"):
            if not np.array_equal(a[path][:], b[path][:]):
                sys.exit(f"{path} differs")
    print(f"the same matrix and names: {ours} and {theirs}")


if __name__ == "__main__":
    main(*sys.argv[1:])
