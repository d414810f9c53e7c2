#!/usr/bin/env python3
# /// script
# requires-python = ">=3.12"
# dependencies = ["anndata==0.13.4", "numpy==2.5.5", "pandas==3.1.1", "scipy==1.18.1"]
# ///
"""Makes the files that are put together, unless they are there: make_concat.py FOLDER [--genes 20000] [--values 5000000]

FOLDER/concat/same has 20 gzip .h5ad files of that many values with the genes in one order, FOLDER/concat/other 20 with
genes of their own out of a tenth more, in every second file in an order of their own.
"""

import argparse
from pathlib import Path

import numpy as np
from make_matrix import experiment

FILES = 20
CELLS = 2275


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--genes", type=int, default=20_000)
    parser.add_argument("--values", type=int, default=5_000_000)
    args = parser.parse_args()
    folder, genes = args.folder / "concat", args.genes
    if folder.exists():
        return
    made = folder.with_suffix(".part")
    for name in ("same", "other"):
        (made / name).mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(20)
    more = genes * 11 // 10
    whole = experiment(CELLS * 4, more, args.values * 4 * more // genes)
    for i in range(FILES):
        part = whole[i % 4 :: 4].copy()
        part.obs_names = [f"cell {i} {k}" for k in range(part.n_obs)]
        chosen = rng.choice(more, genes, replace=False)
        for name, columns in (("same", np.arange(genes)), ("other", chosen if i % 2 == 0 else np.sort(chosen))):
            own = part[:, columns].copy()
            own.X.sort_indices()
            own.write_h5ad(made / name / f"{i:02}.h5ad", compression="gzip", compression_opts=4)
    made.rename(folder)


if __name__ == "__main__":
    main()
