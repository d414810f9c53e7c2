#!/usr/bin/env python3
# /// script
# requires-python = ">=3.12"
# dependencies = ["anndata==0.13.4", "numpy==2.5.5", "pandas==3.1.1", "scipy==1.18.1"]
# ///
"""Makes FOLDER/matrix.h5ad, which all benchmarks of matrices read, unless it is there already.

    make_matrix.py FOLDER [--cells 25000] [--genes 20000] [--values 55000000]

X csr float32, counts drawn log-normally, gzip 4, chunks as h5py chooses them; obs and var.
"""

import argparse
from pathlib import Path

import anndata as ad
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    for name, default in (("cells", 25_000), ("genes", 20_000), ("values", 55_000_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    target = args.folder / "matrix.h5ad"
    if target.exists():
        return
    part = target.with_suffix(".part")
    experiment(args.cells, args.genes, args.values).write_h5ad(part, compression="gzip", compression_opts=4)
    part.rename(target)
    print(target)


if __name__ == "__main__":
    main()
