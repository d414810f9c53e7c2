"""What mat73, hdf5storage and h5py do. Each task prints {"seconds", "result"}: the time of the task itself, without the
start of the interpreter and the imports; and what tells that the other side found the same values.

    matlab_peer.py dense LIBRARY IN            the matrix m as an Arrow table, one list of doubles for each row
    matlab_peer.py columns LIBRARY IN          the same, one column for each of the matrix
    matlab_peer.py file LIBRARY IN             all of the file, as Python objects
    matlab_peer.py arrays IN                   data, ir and jc of the sparse matrix s, by h5py as numpy arrays
    matlab_peer.py write IN OUT COMPRESSION    the same arrays, in memory, by h5py to OUT: gzip 3 or none
"""

import json
import sys
import time

import h5py
import numpy as np
import pyarrow as pa


def load(library: str, source: str):
    return (mat73 if library == "mat73" else hdf5storage).loadmat(source)


def lists(matrix: np.ndarray) -> pa.Table:
    values = pa.array(np.ascontiguousarray(matrix).reshape(-1))
    return pa.table({"value": pa.FixedSizeListArray.from_arrays(values, matrix.shape[1])})


def columns(matrix: np.ndarray) -> pa.Table:
    by_column = np.asfortranarray(matrix)
    return pa.table({str(i): by_column[:, i] for i in range(matrix.shape[1])})


def arrays(source: str) -> list[np.ndarray]:
    with h5py.File(source) as file:
        return [file["s"][name][:] for name in ("data", "ir", "jc")]


def write(found, target: str, compression: str) -> None:
    chunks = {"chunks": (8192,), "compression": "gzip", "compression_opts": 3} if compression == "gzip" else {}
    with h5py.File(target, "w", userblock_size=512, libver="earliest") as file:
        group = file.create_group("s")
        for name, values in zip(("data", "ir", "jc"), found):
            group.create_dataset(name, data=values, **chunks)


def main(task: str, *rest: str) -> None:
    held = arrays(rest[0]) if task == "write" else None
    began = time.perf_counter()
    match task:
        case "dense":
            found = lists(load(*rest)["m"])
        case "columns":
            found = columns(load(*rest)["m"])
        case "file":
            found = load(*rest)
        case "arrays":
            found = arrays(rest[0])
        case "write":
            found = write(held, *rest[1:])
        case _:
            sys.exit(__doc__)
    seconds = time.perf_counter() - began
    match task:
        case "dense":
            values = found["value"].combine_chunks().values.to_numpy(zero_copy_only=False)
            result = {"rows": found.num_rows, "value": float(values.sum())}
        case "columns":
            result = {"rows": found.num_rows, "value": float(sum(column.to_numpy().sum() for column in found.columns))}
        case "arrays":
            data, ir, _ = found
            result = {"entries": len(data), "row": float(ir.sum(dtype="f8")), "value": float(data.sum())}
        case _:
            result = None
    print(json.dumps({"seconds": seconds, "result": result}))


if __name__ == "__main__":
    # The libraries that a task does not need are no part of its memory.
    if "mat73" in sys.argv:
        import mat73
    if "hdf5storage" in sys.argv:
        import hdf5storage
    main(*sys.argv[1:])
