"""Whether files of two folders, or two files, hold the same tables: check_tables.py A B. Prints what A holds as JSON.

Compared are the number of rows, columns and nulls, the sum of all numbers and the length of all text; of coordinate
tables also the sums of row x value and col x value, so that no column can be shifted against another.
"""

import json
import math
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq


def batches(path: Path):
    if path.suffix == ".arrow":
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i)
    else:
        yield from pq.ParquetFile(path).iter_batches(2**22)


def summary(path: Path) -> dict:
    sums = {"rows": 0, "columns": 0, "nulls": 0, "number": 0.0, "text": 0}
    for batch in batches(path):
        sums["rows"] += batch.num_rows
        sums["columns"] = batch.num_columns
        for column in batch.columns:
            column = pc.cast(column, column.type.value_type) if pa.types.is_dictionary(column.type) else column
            sums["nulls"] += column.null_count
            if pa.types.is_large_string(column.type) or pa.types.is_string(column.type):
                sums["text"] += pc.sum(pc.binary_length(column)).as_py() or 0
            else:
                column = column.cast("int64") if pa.types.is_temporal(column.type) else column
                sums["number"] += pc.sum(column.cast("double", safe=False)).as_py() or 0
        if batch.schema.names == ["row", "col", "value"]:
            value = batch["value"].cast("double")
            for name in ("row", "col"):
                product = pc.sum(pc.multiply(batch[name].cast("double"), value)).as_py() or 0
                sums[f"{name} x value"] = sums.get(f"{name} x value", 0) + product
    return sums


def summaries(path: Path) -> dict:
    if path.is_file():
        return {"table": summary(path)}
    found = {name: [p for p in path.glob(f"{name}.*") if p.suffix in (".parquet", ".arrow")] for name in ("X", "obs", "var")}
    return {name: summary(paths[0]) for name, paths in found.items()}


def alike(a: dict, b: dict) -> bool:
    return a.keys() == b.keys() and all(math.isclose(a[name], b[name], rel_tol=1e-9) for name in a)


if __name__ == "__main__":
    a, b = (summaries(Path(path)) for path in sys.argv[1:])
    if a.keys() != b.keys() or not all(alike(a[name], b[name]) for name in a):
        sys.exit(f"not the same: {a} and {b}")
    print(json.dumps(a))
