"""What others do with the inputs of a union: union_peer.py TASK FOLDER TIMES OUT

    concat   concat_on_disk of all files, as often as TIMES says, then X, obs and var by pyarrow, as OUT/X.parquet and so on
    soma     TileDB-SOMA's ingestion with registered genes and cells, one file after the other (needs tiledbsoma)

Prints {"seconds"}, the time of the task without the imports.
"""

import json
import sys
import time
from pathlib import Path

import anndata as ad
import h5py
import numpy as np

ROWS = 2_000


def concat(files: list[Path], out: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out.mkdir()
    whole = out / "all.h5ad"
    ad.experimental.concat_on_disk(files, whole, join="outer")
    with h5py.File(whole) as file:
        x = ad.io.sparse_dataset(file["X"])
        schema = pa.schema([("row", pa.int64()), ("col", pa.int32()), ("value", pa.float32())])
        with pq.ParquetWriter(out / "X.parquet", schema, compression="zstd") as writer:
            for first in range(0, x.shape[0], ROWS):
                part = x[first : first + ROWS].tocoo()
                rows = part.row.astype(np.int64) + first
                columns = [rows, part.col.astype(np.int32), part.data.astype(np.float32)]
                writer.write_table(pa.table(columns, schema=schema))
        for name in ("obs", "var"):
            table = pa.Table.from_pandas(ad.io.read_elem(file[name]))
            pq.write_table(table, out / f"{name}.parquet", compression="zstd")
    whole.unlink()


def soma(files: list[Path], out: Path) -> None:
    import tiledbsoma.io

    names = {"measurement_name": "RNA", "obs_field_name": "obs_id", "var_field_name": "var_id"}
    uri, experiment = str(out), None
    for i, path in enumerate(files):
        data = ad.read_h5ad(path)
        # Cells have the names of all datasets in common.
        data.obs_names = [f"{i} {name}" for name in data.obs_names]
        maps = tiledbsoma.io.register_anndatas(experiment, [data], **names)
        if experiment is not None:
            maps.prepare_experiment(experiment)
        tiledbsoma.io.from_anndata(uri, data, measurement_name="RNA", registration_mapping=maps)
        experiment = uri


def main(task: str, folder: str, times: str, out: str) -> None:
    files = sorted(Path(folder).iterdir()) * int(times)
    run = {"concat": concat, "soma": soma}[task]
    if task == "soma":
        import tiledbsoma.io  # noqa: F401
    else:
        import pyarrow.parquet  # noqa: F401
    began = time.perf_counter()
    run(files, Path(out))
    print(json.dumps({"seconds": time.perf_counter() - began}))


if __name__ == "__main__":
    main(*sys.argv[1:])
