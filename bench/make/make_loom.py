#!/usr/bin/env python3
# /// script
# requires-python = "==3.11.*"
# dependencies = ["h5py==3.16.0", "loompy==3.0.8", "numba==0.68.1", "numpy==1.26.4", "scipy==1.17.1", "setuptools==65.5.0"]
# ///
"""Makes FOLDER/matrix.loom, unless it is there already: make_loom.py FOLDER

X of FOLDER/matrix.h5ad as loompy writes it: genes x cells, float32, chunks of 64 x 64, gzip 2; names and some columns of
obs and var as attributes. For some minutes it takes as much memory as the dense matrix, 2 GB.
"""

import sys
from pathlib import Path

import h5py
import loompy
import numpy as np
import scipy.sparse as sp


def experiment(path: Path):
    """X as a csc_matrix of genes x cells, and the attributes of both, as numpy arrays."""
    with h5py.File(path) as file:
        x = file["X"]
        cells, genes = x.attrs["shape"]
        csr = sp.csr_matrix((x["data"][:], x["indices"][:], x["indptr"][:]), (cells, genes))
        # Text that can be missing lies in a group.
        text = lambda node: (node["values"] if isinstance(node, h5py.Group) else node).asstr()[:]
        rows = {"Gene": text(file["var/_index"]), "mean": file["var/mean"][:]}
        cols = {"CellID": text(file["obs/_index"])}
        cols |= {name: file["obs"][name][:] for name in ("n_counts", "n_genes")}
    return csr.T, rows, cols


def main(folder: Path) -> None:
    target = folder / "matrix.loom"
    if target.exists():
        return
    part = folder / "unfinished.matrix.loom"
    part.unlink(missing_ok=True)
    loompy.create(str(part), *experiment(folder / "matrix.h5ad"))
    part.rename(target)
    print(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
