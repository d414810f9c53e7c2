#!/usr/bin/env python3
# /// script
# requires-python = ">=3.12"
# dependencies = ["anndata==0.13.4", "h5py==3.16.0", "numpy==2.5.5", "pandas==3.1.1", "scipy==1.18.1"]
# ///
"""Makes what the benchmarks read, unless it is there already.

    make_matrix.py FOLDER [--cells 25000] [--genes 20000] [--values 55000000] [--texts 1000000]

FOLDER/matrix.h5ad    X csr float32, counts drawn log-normally, gzip 4, chunks as h5py chooses them; obs and var
FOLDER/strings.h5ad   obs with one text column of --texts values and no matrix
"""

import argparse
from pathlib import Path

import anndata as ad
import h5py
import numpy as np
import pandas as pd
import scipy.sparse as sp

SEED = 55


def matrix(cells: int, genes: int, values: int) -> sp.csr_matrix:
    """Genes are found in very different shares of the cells, as in real experiments."""
    rng = np.random.default_rng(SEED)
    share = rng.lognormal(0, 1.2, genes)
    for _ in range(20):  # shares are at most 0.95, and their mean is what gives `values`
        share = np.minimum(share * (values / cells) / share.sum(), 0.95)
    share = share.astype(np.float32)
    indices, data, indptr = [], [], np.zeros(cells + 1, np.int64)
    for cell in range(cells):
        found = np.flatnonzero(rng.random(genes, np.float32) < share).astype(np.int32)
        indices.append(found)
        data.append(np.ceil(rng.lognormal(0, 0.8, len(found))).astype(np.float32))
        indptr[cell + 1] = indptr[cell] + len(found)
    return sp.csr_matrix((np.concatenate(data), np.concatenate(indices), indptr), (cells, genes))


def experiment(cells: int, genes: int, values: int) -> ad.AnnData:
    rng = np.random.default_rng(SEED + 1)
    x = matrix(cells, genes, values)
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical.from_codes(rng.integers(0, 30, cells), [f"type {i}" for i in range(30)]),
            "batch": pd.Categorical.from_codes(rng.integers(0, 12, cells), [f"batch {i}" for i in range(12)]),
            "n_counts": np.asarray(x.sum(axis=1)).ravel(),
            "n_genes": np.diff(x.indptr).astype(np.int32),
            "doublet": rng.random(cells) < 0.05,
        },
        index=pd.Index([f"{i:016X}-1" for i in rng.integers(0, 2**62, cells)], dtype=object),
    )
    var = pd.DataFrame(
        {"symbol": np.array([f"GENE{i}" for i in range(genes)], object), "mean": rng.random(genes)},
        index=pd.Index([f"ENSG{i:011d}" for i in range(genes)], dtype=object),
    )
    return ad.AnnData(x, obs, var)


def write_strings(path: Path, rows: int) -> None:
    rng = np.random.default_rng(SEED + 2)
    length = rng.integers(4, 40, rows)
    letters = rng.integers(97, 123, length.sum(), np.uint8).tobytes().decode()
    ends = np.cumsum(length)
    texts = np.array([letters[end - n : end] for n, end in zip(length, ends)], object)
    with h5py.File(path, "w") as file:
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        for name in ("obs", "var"):
            group = file.create_group(name)
            group.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
        file["obs"].attrs["column-order"] = np.array(["text"], object)
        file["var"].attrs["column-order"] = np.array([], "S1")
        kind = {"encoding-type": "string-array", "encoding-version": "0.2.0"}
        index = np.array([f"cell {i}" for i in range(rows)], object)
        for target, values in (("obs/_index", index), ("obs/text", texts), ("var/_index", np.array(["g"], object))):
            file.create_dataset(target, data=values, dtype=h5py.string_dtype(), compression="gzip").attrs.update(kind)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    for name, default in (("cells", 25_000), ("genes", 20_000), ("values", 55_000_000), ("texts", 1_000_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)

    def once(name: str, write) -> None:
        target = args.folder / name
        if not target.exists():
            write(target.with_suffix(".part"))
            target.with_suffix(".part").rename(target)
        print(f"{target}: {target.stat().st_size:,} bytes")

    data = lambda: experiment(args.cells, args.genes, args.values)
    once("matrix.h5ad", lambda path: data().write_h5ad(path, compression="gzip", compression_opts=4))
    once("strings.h5ad", lambda path: write_strings(path, args.texts))


if __name__ == "__main__":
    main()
