#!/usr/bin/env python3
# /// script
# requires-python = ">=3.12"
# dependencies = ["anndata==0.13.4", "h5py==3.16.0", "numcodecs==0.17.1", "numpy==2.5.5", "zarr==3.4.2"]
# ///
"""Makes the forms in which the benchmarks read FOLDER/matrix.h5ad, unless they are there already: make_stores.py FOLDER

matrix.lzf.h5ad, matrix.raw.h5ad    the same, LZF and without compression
matrix.csc.h5ad                     by columns, gzip
matrix.v2.zarr                      Zarr v2, blosc (lz4, level 5, shuffle), chunks as zarr chooses them
matrix.v3.zarr                      Zarr v3, sharded, zstd, as anndata writes it by default
coordinate/{row,col,value}.bin      the coordinate table as little-endian int32, int32, float32
"""

import shutil
import sys
from pathlib import Path

import anndata as ad
import numcodecs
import numpy as np
import zarr


def write_csc(data: ad.AnnData, path: Path) -> None:
    ad.AnnData(data.X.tocsc(), obs=data.obs, var=data.var).write_h5ad(path, compression="gzip", compression_opts=4)


def write_v2(data: ad.AnnData, path: Path) -> None:
    group = zarr.open_group(path, mode="w", zarr_format=2)
    blosc = numcodecs.Blosc(cname="lz4", clevel=5, shuffle=numcodecs.Blosc.SHUFFLE)

    def write(write_elem, store, key, elem, *, dataset_kwargs, iospec) -> None:
        # Text keeps the compressor that zarr gives it.
        if iospec.encoding_type in {"array", "csr_matrix"}:
            dataset_kwargs = {**dataset_kwargs, "compressors": [blosc]}
        write_elem(store, key, elem, dataset_kwargs=dataset_kwargs)

    with ad.settings.override(zarr_write_format=2):
        ad.experimental.write_dispatched(group, "/", data, write)


def write_v3(data: ad.AnnData, path: Path) -> None:
    with ad.settings.override(zarr_write_format=3, auto_shard_zarr_v3=True):
        data.write_zarr(path)


def write_bin(folder: Path, x) -> None:
    row = np.repeat(np.arange(x.shape[0], dtype="<i4"), np.diff(x.indptr))
    columns = {"row": row, "col": x.indices.astype("<i4", copy=False), "value": x.data.astype("<f4", copy=False)}
    for name, values in columns.items():
        values.tofile(folder / f"{name}.bin")


def main(folder: Path) -> None:
    writers = {
        "matrix.lzf.h5ad": lambda data, path: data.write_h5ad(path, compression="lzf"),
        "matrix.raw.h5ad": lambda data, path: data.write_h5ad(path),
        "matrix.csc.h5ad": write_csc,
        "matrix.v2.zarr": write_v2,
        "matrix.v3.zarr": write_v3,
        "coordinate": lambda data, path: (path.mkdir(), write_bin(path, data.X)),
    }
    missing = {name: write for name, write in writers.items() if not (folder / name).exists()}
    if not missing:
        return
    data = ad.read_h5ad(folder / "matrix.h5ad")
    for name, write in missing.items():
        part = folder / f"unfinished.{name}"
        shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)
        write(data, part)
        part.rename(folder / name)
        print(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
