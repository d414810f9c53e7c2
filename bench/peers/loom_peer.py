"""What loompy does. Each task prints {"seconds", "result"}: the time of the task itself, of rows and columns that of the
median read, without the start of the interpreter, the imports and, of rows and columns, the opening of the file; and what tells that the other side found the same values.

    loom_peer.py sparse IN        the whole matrix as scipy's coo_matrix
    loom_peer.py row IN ROWS      each of these rows (comma-separated)
    loom_peer.py col IN COLS      each of these columns
    loom_peer.py write IN OUT     X of IN (.h5ad), obs and var, in memory, to OUT
    loom_peer.py convert IN OUT   the same with reading them
"""

import json
import statistics
import sys
import time
from pathlib import Path

import loompy
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "make"))

from make_loom import experiment  # noqa: E402


def of_entries(row, col, value) -> dict:
    sums = {"row": row, "col": col, "value": value}
    return {"entries": len(value), **{name: float(v.sum(dtype=np.float64)) for name, v in sums.items()}}


def of_lines(found, positions, name: str, other: str) -> dict:
    sums = {"entries": 0, name: 0.0, other: 0.0, "value": 0.0}
    for at, values in zip(positions, found):
        places = np.flatnonzero(values)
        sums["entries"] += len(places)
        sums[name] += float(at * len(places))
        sums[other] += float(places.sum(dtype=np.float64))
        sums["value"] += float(values.sum(dtype=np.float64))
    return sums


def each(positions, read):
    """What is found at each of them, and the seconds that this takes."""
    found, seconds = [], []
    for at in positions:
        began = time.perf_counter()
        found.append(read(at))
        seconds.append(time.perf_counter() - began)
    return found, seconds


def main(task: str, source: str, *rest: str) -> None:
    positions = list(map(int, rest[0].split(","))) if task in ("row", "col") else []
    opened = loompy.connect(source, "r", validate=False) if positions else None
    held = experiment(Path(source)) if task == "write" else None
    reads = []
    began = time.perf_counter()
    match task:
        case "sparse":
            with loompy.connect(source, "r", validate=False) as ds:
                found = ds.sparse()
        case "row":
            found, reads = each(positions, lambda at: opened[at, :])
        case "col":
            found, reads = each(positions, lambda at: opened[:, at])
        case "write":
            found = loompy.create(rest[0], *held)
        case "convert":
            found = loompy.create(rest[0], *experiment(Path(source)))
        case _:
            sys.exit(__doc__)
    seconds = statistics.median(reads) if reads else time.perf_counter() - began
    match task:
        case "sparse":
            result = of_entries(found.row, found.col, found.data)
        case "row":
            result = of_lines(found, positions, "row", "col")
        case "col":
            result = of_lines(found, positions, "col", "row")
        case _:
            result = None
    print(json.dumps({"seconds": seconds, "result": result}))


if __name__ == "__main__":
    main(*sys.argv[1:])
