"""What a Python user does with HDF5 and frames of pandas. Each task prints {"seconds", "result"}: the time of the task
itself, without the start of the interpreter and the imports, and what tells that the other side found the same values.

    plain_peer.py parquet IN NAME OUT         an array to a Parquet file, by blocks of 2**20 values
    plain_peer.py frame IN KEY                a frame of pandas
    plain_peer.py frame-parquet IN KEY OUT    the same to a Parquet file
"""

import json
import sys
import time

import h5py
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import tables  # noqa: F401  pandas loads it with the first file

ROWS = 2**20


def parquet(source: str, name: str, target: str) -> None:
    schema = pa.schema([("value", pa.float64())])
    with h5py.File(source) as file, pq.ParquetWriter(target, schema, compression="zstd") as writer:
        array = file[name]
        for at in range(0, len(array), ROWS):
            writer.write_table(pa.table({"value": array[at : at + ROWS]}, schema=schema))


def sums(frame: pd.DataFrame) -> dict:
    frame = frame.reset_index(names="__index_level_0__")
    numbers = frame.select_dtypes(["integer", "floating"])
    return {"rows": len(frame), **{name: float(numbers[name].to_numpy().sum(dtype="f8")) for name in numbers.columns}}


def main(task: str, source: str, name: str, *rest: str) -> None:
    began = time.perf_counter()
    match task:
        case "parquet":
            found = parquet(source, name, *rest)
        case "frame":
            found = pd.read_hdf(source, name)
        case "frame-parquet":
            found = pq.write_table(pa.Table.from_pandas(pd.read_hdf(source, name)), rest[0], compression="zstd")
        case _:
            sys.exit(__doc__)
    seconds = time.perf_counter() - began
    print(json.dumps({"seconds": seconds, "result": sums(found) if task == "frame" else None}))


if __name__ == "__main__":
    main(*sys.argv[1:])
