"""What the bpcells package does. Each task runs REPEAT times; prints {"seconds", "result"}: the median, without the start of
the interpreter and the imports, and what tells that the other side found the same values.

    bpcells_peer.py REPEAT blocks STORE         the whole matrix in blocks of 250 columns, as scipy's coo_matrix
    bpcells_peer.py REPEAT sums STORE col|row   sums by column or row, by such blocks
    bpcells_peer.py REPEAT columns STORE IDS    the columns with these positions (comma-separated)
    bpcells_peer.py REPEAT write FOLDER OUT     the matrix of the arrays in FOLDER, in memory, to a directory
    bpcells_peer.py REPEAT h5ad H5AD OUT        X of the file to a directory
    bpcells_peer.py REPEAT fragments TSV OUT    fragments of 10x to a directory

bpcells 0.3.0rc2 ends with a segmentation fault where one read takes longer than about 0.1 s, hence the blocks; larger ones
that it survives are slower.
"""

import json
import shutil
import statistics
import sys
import time
from pathlib import Path

import anndata  # noqa: F401, which reads .h5ad for the package
import bpcells.experimental as bp
import numpy as np
import scipy.sparse as sp

BLOCK = 250


def blocks(store):
    for at in range(0, store.shape[1], BLOCK):
        yield at, store[:, list(range(at, min(at + BLOCK, store.shape[1])))]


def all_blocks(store):
    for at, block in blocks(store):
        yield at, block.tocoo()


def columns(store, ids: list[int]):
    return sp.hstack([store[:, ids[at : at + BLOCK]] for at in range(0, len(ids), BLOCK)], format="coo")


def of_entries(parts) -> dict:
    sums = {"entries": 0, "row": 0.0, "col": 0.0, "value": 0.0}
    for at, part in parts:
        sums["entries"] += part.nnz
        sums["row"] += float(part.row.sum(dtype=np.float64))
        sums["col"] += float(part.col.sum(dtype=np.float64)) + at * part.nnz
        sums["value"] += float(part.data.sum(dtype=np.float64))
    return sums


def sums(store, axis: str):
    if axis == "col":
        return np.concatenate([np.asarray(block.sum(axis=0)).ravel() for _, block in blocks(store)])
    return sum(np.asarray(block.sum(axis=1)).ravel() for _, block in blocks(store))


def of_sums(found) -> dict:
    found = np.asarray(found, np.float64)
    return {"total": float(found.sum()), "weighted": float(found @ np.arange(1, len(found) + 1)), "greatest": float(found.max())}


def in_memory(folder: Path):
    read = lambda name, kind: np.fromfile(folder / f"{name}.bin", kind)
    shape = read("shape", "<u4")
    arrays = (read("value", "<u4"), read("index", "<u4").astype(np.int32), read("pointers", "<i8"))
    return sp.csc_matrix(arrays, shape=tuple(map(int, shape)))


def main(repeat: int, task: str, source: str, *rest: str) -> None:
    out = Path(rest[0]) if task in ("write", "h5ad", "fragments") else None
    held = in_memory(Path(source)) if task == "write" else None
    seconds = []
    for _ in range(repeat):
        if out is not None:
            shutil.rmtree(out, ignore_errors=True)
        began = time.perf_counter()
        match task:
            case "blocks":
                found = sum(part.nnz for _, part in all_blocks(bp.DirMatrix(source)))
            case "sums":
                found = sums(bp.DirMatrix(source), rest[0])
            case "columns":
                found = columns(bp.DirMatrix(source), list(map(int, rest[0].split(","))))
            case "write":
                bp.DirMatrix.from_scipy_sparse(held, str(out))
            case "h5ad":
                bp.DirMatrix.from_h5ad(source, str(out))
            case "fragments":
                bp.import_10x_fragments(source, str(out))
            case _:
                sys.exit(__doc__)
        seconds.append(time.perf_counter() - began)
    match task:
        case "blocks":
            result = of_entries(all_blocks(bp.DirMatrix(source)))
        case "sums":
            result = of_sums(found)
        case "columns":
            found.col = np.array(rest[0].split(","), int)[found.col]
            result = of_entries([(0, found)])
        case _:
            result = None
    print(json.dumps({"seconds": statistics.median(seconds), "all": seconds, "result": result}))


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
