#!/usr/bin/env python3
# /// script
# requires-python = ">=3.12"
# dependencies = ["anndata==0.13.4", "numpy==2.5.5", "pandas==3.1.1", "scipy==1.18.1"]
# ///
"""Makes the many small files of which a union is planned, unless they are there: make_union.py FOLDER [--files 10000]

FOLDER/union-many has that many names of 50 .h5ad files (hard links), each with 100 to 149 cells and 2,000 genes of its own
out of 2,400, in an order of its own.
"""

import argparse
import os
from pathlib import Path

import anndata as ad
import numpy as np
import pandas as pd
import scipy.sparse as sp

KINDS = 50
GENES = 2_000


def made(kind: int, names: np.ndarray, rng: np.random.Generator) -> ad.AnnData:
    cells = 100 + kind
    x = sp.random(cells, GENES, density=0.1, format="csr", dtype=np.float32, rng=rng)
    x.data = np.ceil(x.data * 20).astype(np.float32)
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical(rng.choice([f"type {i}" for i in range(30)], cells)),
            "n_counts": np.asarray(x.sum(axis=1)).ravel(),
            "batch": rng.integers(0, 1000, cells),
        },
        index=pd.Index([f"cell {kind} {i}" for i in range(cells)], dtype=object),
    )
    own = rng.choice(names, GENES, replace=False)
    var = pd.DataFrame({"symbol": [f"GENE{name[-6:]}" for name in own]}, index=pd.Index(own, dtype=object))
    return ad.AnnData(x, obs, var)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=10_000)
    args = parser.parse_args()
    folder = args.folder / "union-many"
    if folder.exists():
        return
    part = folder.with_suffix(".part")
    part.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(40)
    names = np.array([f"ENSG{i:011d}" for i in range(GENES * 12 // 10)], object)
    for kind in range(KINDS):
        made(kind, names, rng).write_h5ad(part / f"{kind:05}.h5ad", compression="gzip")
    for i in range(KINDS, args.files):
        os.link(part / f"{i % KINDS:05}.h5ad", part / f"{i:05}.h5ad")
    part.rename(folder)


if __name__ == "__main__":
    main()
