#!/usr/bin/env python3
# /// script
# requires-python = ">=3.12"
# dependencies = ["anndata==0.13.4", "h5py==3.16.0", "numpy==2.5.5", "pandas==3.1.1"]
# ///
"""Makes FOLDER/obs.h5ad, unless it is there already: make_obs.py FOLDER [--rows 1000000]

obs with an index and three columns of text (one in the encoding of older files, one with missing values), three
categoricals (30, 5 ordered, 100,000 categories), integers, floats, booleans and nullable numbers; gzip. No matrix.
"""

import argparse
from pathlib import Path

import anndata as ad
import h5py
import numpy as np
import pandas as pd

SEED = 77


def texts(rng: np.random.Generator, rows: int, shortest: int, longest: int) -> np.ndarray:
    length = rng.integers(shortest, longest + 1, rows)
    letters = rng.integers(97, 123, length.sum(), np.uint8).tobytes().decode()
    ends = np.cumsum(length)
    return np.array([letters[end - n : end] for n, end in zip(length, ends)], object)


def frame(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(SEED)
    codes = lambda n: rng.integers(0, n, rows)
    missing = lambda share: rng.random(rows) < share
    many = max(1, rows // 10)
    note = pd.array(texts(rng, rows, 0, 24), dtype="str")
    note[missing(0.1)] = pd.NA
    columns = {
        "donor": pd.Series(texts(rng, rows, 6, 12), dtype="str"),
        "note": note,
        "path": pd.Series(texts(rng, rows, 20, 40), dtype=object),
        "cell_type": pd.Categorical.from_codes(codes(30), [f"type {i}" for i in range(30)]),
        "stage": pd.Categorical.from_codes(codes(5), ["one", "two", "three", "four", "five"], ordered=True),
        "clone": pd.Categorical.from_codes(np.where(missing(0.2), -1, codes(many)), [f"clone {i:06d}" for i in range(many)]),
        "n_genes": codes(20_000).astype(np.int32),
        "barcode_id": rng.integers(0, 2**53, rows),
        "n_counts": rng.lognormal(8, 1, rows).astype(np.float32),
        "pct_mito": rng.random(rows),
        "doublet": missing(0.05),
        "age": pd.arrays.IntegerArray(rng.integers(0, 100, rows), missing(0.3)),
        "treated": pd.arrays.BooleanArray(missing(0.5), missing(0.1)),
    }
    index = pd.Index([f"{i:016X}-1" for i in rng.integers(0, 2**62, rows)], dtype=object)
    return pd.DataFrame({name: values for name, values in columns.items()}).set_axis(index)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    args = parser.parse_args()
    target = args.folder / "obs.h5ad"
    if target.exists():
        return
    part = target.with_suffix(".part")
    with h5py.File(part, "w") as file, ad.settings.override(allow_write_nullable_strings=True):
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        gzip = {"compression": "gzip", "compression_opts": 4}
        ad.io.write_elem(file, "obs", frame(args.rows), dataset_kwargs=gzip)
        ad.io.write_elem(file, "var", pd.DataFrame(index=pd.Index(["g"], dtype=object)))
    part.rename(target)
    print(target)


if __name__ == "__main__":
    main()
