#!/usr/bin/env python3
# /// script
# requires-python = ">=3.12"
# dependencies = ["h5py==3.16.0", "numpy<3", "pandas==2.3.3", "pyarrow", "tables==3.11.1"]
# ///
"""Makes what is missing of FOLDER/{array,array.raw}.h5 and {table,fixed}-{none,zlib,blosc}.h5: make_plain.py FOLDER

array: 2**27 doubles, 1 GiB, sums of steps with two decimals; chunks of 64 Ki values with gzip 4 and shuffle, raw: in one
piece. table, fixed: a frame of pandas of a million rows with integers, floats, booleans and times; in the format table
with text, too. Chunks are those that PyTables chooses.
"""

import sys
from pathlib import Path

import h5py
import numpy as np
import pandas as pd

SIZE, BLOCK, ROWS = 2**27, 2**22, 1_000_000
GZIP = {"chunks": (2**16,), "compression": "gzip", "compression_opts": 4, "shuffle": True}
random = np.random.default_rng(0)


def array(path: Path, **how) -> None:
    with h5py.File(path, "w") as file:
        values = file.create_dataset("values", (SIZE,), "f8", **how)
        for at in range(0, SIZE, BLOCK):
            values[at : at + BLOCK] = np.round(np.cumsum(random.normal(size=BLOCK)), 2)


def frame() -> pd.DataFrame:
    names = np.array([f"name{i}" for i in range(1000)])
    return pd.DataFrame(
        {
            "count": random.integers(0, 1000, ROWS),
            "x": random.normal(size=ROWS),
            "y": random.normal(size=ROWS).round(2),
            "z": random.normal(size=ROWS).astype("f4"),
            "small": random.integers(0, 100, ROWS).astype("i4"),
            "flag": random.integers(0, 2, ROWS).astype(bool),
            "time": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(ROWS), unit="s"),
            "name": names[random.integers(0, 1000, ROWS)],
        }
    )


def main(folder: str) -> None:
    out = Path(folder)
    for name, how in {"array": GZIP, "array.raw": {}}.items():
        path = out / f"{name}.h5"
        if not path.exists():
            array(path, **how)
    whole = frame()
    # In the format fixed text is pickled.
    for form, rows in {"table": whole, "fixed": whole.drop(columns="name")}.items():
        for library in (None, "zlib", "blosc"):
            path = out / f"{form}-{library or 'none'}.h5"
            if not path.exists():
                rows.to_hdf(path, key="frame", format=form, mode="w", complib=library, complevel=5 if library else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
