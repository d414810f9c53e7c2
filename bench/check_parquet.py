"""Whether two folders hold the same X, obs and var: check_parquet.py A B"""

import sys
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq


def summary(folder: Path) -> dict:
    found = {name: pq.ParquetFile(folder / f"{name}.parquet").metadata.num_rows for name in ("X", "obs", "var")}
    for batch in pq.ParquetFile(folder / "X.parquet").iter_batches(2**22):
        for name in ("row", "col", "value"):
            found[name] = found.get(name, 0) + pc.sum(batch[name].cast("double")).as_py()
    return found


a, b = (summary(Path(folder)) for folder in sys.argv[1:])
print(a)
if a != b:
    sys.exit(f"differs from {b}")
