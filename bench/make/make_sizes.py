#!/usr/bin/env python3
# /// script
# requires-python = ">=3.12"
# dependencies = ["h5py==3.16.0", "numpy==2.5.5"]
# ///
"""Makes matrices of growing size from FOLDER/matrix.h5ad, unless they are there: make_sizes.py FOLDER MILLIONS...

FOLDER/size-N.h5ad has about N million stored values: the compressed chunks of the first of them, up to 50 million, as
often as needed. Neither time nor memory of the writer depends on how well the values compress.
"""

import sys
from pathlib import Path

import h5py
import numpy as np

TILE = 50_000_000


def text(file: h5py.File, path: str, values: list[str]) -> None:
    data = file.create_dataset(path, data=np.array(values, object), dtype=h5py.string_dtype(), compression="gzip")
    data.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})


def write(source: h5py.File, target: h5py.File, wanted: int) -> None:
    """The tile ends with a chunk, and there its last row ends: chunks and rows then repeat alike."""
    x = source["X"]
    (chunk,) = x["data"].chunks
    stored = x["data"].shape[0] // chunk
    tile = max(1, min(wanted, TILE, stored * chunk) // chunk)
    repeats = max(1, round(wanted / (tile * chunk)))
    values = tile * chunk
    indptr = x["indptr"][:].astype(np.int64)
    ends = np.append(indptr[1:][indptr[1:] < values], values)
    rows, cols = len(ends) * repeats, int(x.attrs["shape"][1])

    target.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
    group = target.create_group("X")
    group.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": np.array([rows, cols])})
    pointers = np.concatenate([[0], *(ends + i * values for i in range(repeats))])
    group.create_dataset("indptr", data=pointers, compression="gzip", chunks=True)
    for name in ("data", "indices"):
        like = x[name]
        assert like.chunks == (chunk,) and like.compression == "gzip", "data and indices have the same chunks"
        made = group.create_dataset(
            name, (values * repeats,), like.dtype, chunks=(chunk,), compression="gzip", compression_opts=like.compression_opts
        )
        for i in range(tile):
            mask, data = like.id.read_direct_chunk((i * chunk,))
            for repeat in range(repeats):
                made.id.write_direct_chunk(((repeat * tile + i) * chunk,), data, mask)
    for name, count, letter in (("obs", rows, "c"), ("var", cols, "g")):
        frame = target.create_group(name)
        frame.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
        frame.attrs["column-order"] = np.array(["number"], object)
        text(target, f"{name}/_index", [f"{letter}{i}" for i in range(count)])
        number = frame.create_dataset("number", data=np.arange(count), compression="gzip")
        number.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})


def main(folder: Path, sizes: list[int]) -> None:
    for size in sizes:
        target = folder / f"size-{size}.h5ad"
        if target.exists():
            continue
        with h5py.File(folder / "matrix.h5ad") as source, h5py.File(target.with_suffix(".part"), "w") as made:
            write(source, made, size * 1_000_000)
        target.with_suffix(".part").rename(target)
        print(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(size) for size in sys.argv[2:]])
