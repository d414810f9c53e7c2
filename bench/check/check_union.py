"""Whether a union and a matrix that was put together otherwise hold the same values: check_union.py UNION FOLDER

UNION is a folder with manifest.json, FOLDER has X.parquet, obs.parquet and var.parquet. Compared are the number of entries, the
sum of each cell, in their order, and the sum of each gene by its name. Prints what the union holds as JSON.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq


def sums(paths: list[Path], cells: int, genes: list[str]) -> tuple[int, np.ndarray, dict[str, float]]:
    count, rows, cols = 0, np.zeros(cells), np.zeros(len(genes))
    for path in paths:
        for batch in pq.ParquetFile(path).iter_batches(2**22):
            row, col, value = (batch[name].to_numpy() for name in ("row", "col", "value"))
            count += len(value)
            rows += np.bincount(row, value, cells)
            cols += np.bincount(col, value, len(genes))
    return count, rows, dict(zip(genes, cols))


def of_union(folder: Path):
    tables = {one["name"]: one for one in json.loads((folder / "manifest.json").read_text())["tables"]}
    parts = {name: [folder / part["file"] for part in table["parts"]] for name, table in tables.items()}
    genes = [name for path in parts["var"] for name in pq.read_table(path)["_index"].to_pylist()]
    return sums(parts["X"], tables["obs"]["rows"], genes)


def of_folder(folder: Path):
    cells = pq.ParquetFile(folder / "obs.parquet").metadata.num_rows
    var = pq.read_table(folder / "var.parquet").to_pandas()
    return sums([folder / "X.parquet"], cells, [str(name) for name in var.index])


if __name__ == "__main__":
    (ours, rows, cols), (theirs, other_rows, other_cols) = of_union(Path(sys.argv[1])), of_folder(Path(sys.argv[2]))
    if ours != theirs or not np.allclose(rows, other_rows) or cols.keys() != other_cols.keys():
        sys.exit(f"not the same: {ours} and {theirs} entries, {len(cols)} and {len(other_cols)} genes")
    unlike = [name for name, sum in cols.items() if not np.isclose(sum, other_cols[name])]
    if unlike:
        sys.exit(f"not the same: the sums of {len(unlike)} genes, such as {unlike[0]}")
    print(json.dumps({"entries": ours, "cells": len(rows), "genes": len(cols)}))
