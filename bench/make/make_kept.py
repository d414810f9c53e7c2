#!/usr/bin/env python3
# /// script
# requires-python = ">=3.12"
# dependencies = ["h5py==3.16.0", "numpy==2.5.5", "zarr==3.4.2"]
# ///
"""Makes the matrices of 2 GB whose chunks the benchmarks keep, unless they are there: make_kept.py FOLDER [MILLIONS]

kept.h5ad       gzip, about MILLIONS million stored values (900 by default): the chunks of FOLDER/matrix.h5ad, repeated
kept.v2.zarr    Zarr v2, blosc: the chunks of FOLDER/matrix.v2.zarr, repeated
"""

import shutil
import sys
from pathlib import Path

import h5py
import make_sizes
import numpy as np
import zarr


def attributes(encoding: str, version: str, **more: object) -> dict[str, object]:
    return {"encoding-type": encoding, "encoding-version": version, **more}


def write_zarr(source: Path, target: Path, wanted: int) -> None:
    """As in make_sizes.py, the last row of the tile ends where the tile's last chunk ends."""
    x = zarr.open_group(source, mode="r", zarr_format=2)["X"]
    (chunk,) = x["data"].chunks
    tile = x["data"].shape[0] // chunk
    values = tile * chunk
    repeats = max(1, round(wanted / values))
    indptr = x["indptr"][:].astype(np.int64)
    ends = np.append(indptr[1:][indptr[1:] < values], values)
    rows, cols = len(ends) * repeats, int(x.attrs["shape"][1])

    root = zarr.open_group(target, mode="w", zarr_format=2, attributes=attributes("anndata", "0.1.0"))
    shape = {"shape": [rows, cols]}
    group = root.create_group("X", attributes=attributes("csr_matrix", "0.1.0", **shape))
    group.create_array("indptr", data=np.concatenate([[0], *(ends + i * values for i in range(repeats))]))
    for name in ("data", "indices"):
        like = x[name]
        assert like.chunks == (chunk,), "data and indices have the same chunks"
        group.create_array(name, shape=(values * repeats,), chunks=(chunk,), dtype=like.dtype, compressors=like.compressors)
        for i in range(tile):
            for repeat in range(repeats):
                shutil.copyfile(source / "X" / name / f"{i}", target / "X" / name / f"{repeat * tile + i}")
    for name, count, letter in (("obs", rows, "c"), ("var", cols, "g")):
        columns = {"_index": "_index", "column-order": ["number"]}
        frame = root.create_group(name, attributes=attributes("dataframe", "0.2.0", **columns))
        names = np.array([f"{letter}{i}" for i in range(count)], np.dtypes.StringDType())
        frame.create_array("_index", data=names, attributes=attributes("string-array", "0.2.0"))
        frame.create_array("number", data=np.arange(count), attributes=attributes("array", "0.2.0"))


def write_hdf5(source: Path, target: Path, wanted: int) -> None:
    with h5py.File(source) as matrix, h5py.File(target, "w") as made:
        make_sizes.write(matrix, made, wanted)


def main(folder: Path, millions: int) -> None:
    for name, like, write in (
        ("kept.h5ad", "matrix.h5ad", write_hdf5),
        ("kept.v2.zarr", "matrix.v2.zarr", write_zarr),
    ):
        target, part = folder / name, folder / f"unfinished.{name}"
        if target.exists():
            continue
        shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)
        write(folder / like, part, millions * 1_000_000)
        part.rename(target)
        print(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 900)
