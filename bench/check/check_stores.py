"""Whether two stores hold the same X, obs and var: check_stores.py A B [--any-order]. Prints what A holds of X as JSON.

Compared are the encoding, the shape, the data types and the pointers of X, and sums over its entries, also of value x
index and value x position, so that no array can be shifted against another; of obs and var every value. With --any-order
the entries of a row (a column) may lie in another order: the sums have value x index x row instead of the position.
"""

import json
import sys
from pathlib import Path

import anndata as ad
import h5py
import numpy as np
import pandas as pd
import zarr

BLOCK = 2**24


def opened(path: str):
    return zarr.open_group(path, mode="r") if Path(path).is_dir() else h5py.File(path)


def summary(x, any_order: bool) -> dict:
    """One block of entries at a time: the stores may be larger than memory."""
    data, indices, indptr = x["data"], x["indices"], x["indptr"][:]
    last = "value x index x row" if any_order else "value x position"
    sums = {"value": 0.0, "index": 0.0, "value x index": 0.0, last: 0.0}
    for at in range(0, data.shape[0], BLOCK):
        value = data[at : at + BLOCK].astype(np.float64)
        index = indices[at : at + BLOCK].astype(np.float64)
        sums["value"] += value.sum()
        sums["index"] += index.sum()
        sums["value x index"] += value @ index
        position = np.arange(at, at + len(value))
        if any_order:
            row = np.searchsorted(indptr, position, side="right")
            sums[last] += value @ ((index * row) % 997.0)
        else:
            sums[last] += value @ (position % 997.0)
    types = {name: np.dtype(x[name].dtype).newbyteorder("=").str for name in ("data", "indices", "indptr")}
    what = {"encoding": str(x.attrs["encoding-type"]), "shape": [int(n) for n in x.attrs["shape"]]}
    return {**what, "entries": int(data.shape[0]), **types, **{name: float(total) for name, total in sums.items()}}


def frames_differ(a: pd.DataFrame, b: pd.DataFrame) -> str | None:
    try:
        pd.testing.assert_frame_equal(a, b, check_index_type=False, check_dtype=False)
    except AssertionError as error:
        return " ".join(str(error).split())[:300]


if __name__ == "__main__":
    any_order = "--any-order" in sys.argv
    a, b = (opened(path) for path in sys.argv[1:3])
    x, y = summary(a["X"], any_order), summary(b["X"], any_order)
    # Pointers may be of either width.
    same = {name: x[name] == y[name] for name in x if name != "indptr"}
    if not all(same.values()):
        sys.exit(f"not the same X: {x} and {y}")
    if not np.array_equal(a["X/indptr"][:], b["X/indptr"][:]):
        sys.exit("not the same X: other pointers")
    for name in ("obs", "var"):
        problem = frames_differ(ad.io.read_elem(a[name]), ad.io.read_elem(b[name]))
        if problem:
            sys.exit(f"not the same {name}: {problem}")
    print(json.dumps(x))
