"""What a user does today, with anndata and pyarrow:

    peer.py parquet IN.h5ad FOLDER    X as a coordinate table, obs and var, each to a Parquet file (zstd)
    peer.py strings IN.h5ad           the column `text` of obs as a pyarrow array
"""

import sys
from pathlib import Path

import anndata as ad
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def write_parquet(source: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    data = ad.read_h5ad(source)
    x = data.X
    row = np.repeat(np.arange(x.shape[0], dtype=np.int32), np.diff(x.indptr))
    table = pa.table({"row": row, "col": x.indices.astype(np.int32, copy=False), "value": x.data})
    pq.write_table(table, folder / "X.parquet", compression="zstd")
    for name, frame in (("obs", data.obs), ("var", data.var)):
        pq.write_table(pa.Table.from_pandas(frame), folder / f"{name}.parquet", compression="zstd")


def read_strings(source: str) -> None:
    column = pa.array(ad.read_h5ad(source).obs["text"])
    print(len(column), column.nbytes)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["parquet", source, folder]:
            write_parquet(source, Path(folder))
        case ["strings", source]:
            read_strings(source)
        case _:
            sys.exit(__doc__)
