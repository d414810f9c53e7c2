"""What a Python user does today. Each task prints {"seconds", "result"}: the time of the task itself, without the start
of the interpreter and the imports, and what tells that the other side found the same values.

    peer.py convert IN FOLDER parquet|arrow    X as a coordinate table, obs and var, each to a file
    peer.py pyarrow COORDINATE OUT             the coordinate table, in memory, to Parquet (zstd)
    peer.py polars COORDINATE OUT              the same by polars
    peer.py matrix IN                          X as scipy's csr_matrix
    peer.py arrays IN                          data, indices and indptr of X, by h5py
    peer.py write IN OUT gzip|none|zarr2|zarr3 the AnnData object, in memory, to a store
    peer.py store IN OUT gzip|none|zarr2|zarr3 the same with reading it
    peer.py csc IN OUT                         X by columns, to a gzip .h5ad
    peer.py part IN OUT obs|var POSITIONS      the cells or genes at these positions, to a gzip .h5ad
    peer.py concat FOLDER OUT inner|outer      the files of the folder to one, by concat_on_disk
    peer.py disk IN OUT                        as many bytes as IN has to a file, one after the other, and to the disk
    peer.py entries IN                         X in coordinates as a pyarrow table
    peer.py obs IN                             obs as a pyarrow table
    peer.py col-backed IN GENE                 one column of X, the file open in backed mode
    peer.py col-elem IN GENE                   the same by sparse_dataset, without opening the rest
    peer.py row-backed IN CELLS                the cells with these positions (comma-separated), in backed mode
    peer.py row-elem IN CELLS                  their rows of X by sparse_dataset
"""

import json
import os
import sys
import time
from pathlib import Path

import anndata as ad
import h5py
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather
import pyarrow.parquet as pq

if any(argument.endswith(".zarr") for argument in sys.argv):
    import zarr  # before the clock starts, and only where it is needed


def store(path: str):
    return zarr.open_group(path, mode="r") if path.endswith(".zarr") else h5py.File(path)


def convert(source: str, folder: str, form: str):
    out = Path(folder)
    out.mkdir(parents=True)
    data = anndata(source)
    x = data.X
    row = np.repeat(np.arange(x.shape[0], dtype=np.int32), np.diff(x.indptr))
    tables = {"X": pa.table({"row": row, "col": x.indices.astype(np.int32, copy=False), "value": x.data})}
    tables |= {name: pa.Table.from_pandas(frame) for name, frame in (("obs", data.obs), ("var", data.var))}
    for name, table in tables.items():
        if form == "parquet":
            pq.write_table(table, out / f"{name}.parquet", compression="zstd")
        else:
            feather.write_feather(table, out / f"{name}.arrow", compression="uncompressed")


def anndata(source: str) -> ad.AnnData:
    return ad.read_zarr(source) if source.endswith(".zarr") else ad.read_h5ad(source)


def write(data: ad.AnnData, target: str, form: str) -> None:
    match form:
        case "gzip":
            data.write_h5ad(target, compression="gzip")
        case "none":
            data.write_h5ad(target)
        case "zarr2" | "zarr3":
            version = int(form[-1])
            with ad.settings.override(zarr_write_format=version, auto_shard_zarr_v3=version == 3):
                data.write_zarr(target)


def to_disk(count: int, target: str) -> None:
    block = np.random.default_rng(0).bytes(2**24)
    with open(target, "wb", buffering=0) as file:
        for at in range(0, count, len(block)):
            file.write(block[: count - at])
        os.fsync(file.fileno())


def coordinate(folder: str) -> dict[str, np.ndarray]:
    types = {"row": "<i4", "col": "<i4", "value": "<f4"}
    return {name: np.fromfile(Path(folder) / f"{name}.bin", kind) for name, kind in types.items()}


def of_csr(x) -> dict:
    rows = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
    return of_entries(rows, x.indices, x.data)


def of_entries(row, col, value) -> dict:
    sums = {"row": row, "col": col, "value": value}
    return {"entries": len(value), **{name: float(v.sum(dtype=np.float64)) for name, v in sums.items()}}


def of_table(table: pa.Table) -> dict:
    """Sums over all columns, whatever their order and names."""
    number = text = nulls = 0
    for column in table.columns:
        column = pc.cast(column, column.type.value_type) if pa.types.is_dictionary(column.type) else column
        nulls += column.null_count
        if pa.types.is_large_string(column.type) or pa.types.is_string(column.type):
            text += pc.sum(pc.binary_length(column)).as_py() or 0
        else:
            number += pc.sum(column.cast("double")).as_py() or 0
    return {"rows": table.num_rows, "columns": table.num_columns, "nulls": nulls, "text": text, "number": number}


def main(task: str, source: str, *rest: str) -> None:
    columns = coordinate(source) if task in ("pyarrow", "polars") else {}
    if task == "pyarrow":
        table = pa.table(columns)
    elif task == "polars":
        import polars as pl

        frame = pl.DataFrame(columns)
    elif task == "write":
        held = anndata(source)
    began = time.perf_counter()
    match task:
        case "convert":
            found = convert(source, *rest)
        case "pyarrow":
            found = pq.write_table(table, rest[0], compression="zstd")
        case "polars":
            found = frame.write_parquet(rest[0], compression="zstd")
        case "write":
            found = write(held, *rest)
        case "store":
            found = write(anndata(source), *rest)
        case "csc":
            found = anndata(source)
            found.X = found.X.tocsc()
            write(found, rest[0], "gzip")
        case "part":
            target, axis, chosen = rest
            positions = np.array(chosen.split(","), int)
            whole = anndata(source)
            write(whole[positions] if axis == "obs" else whole[:, positions], target, "gzip")
        case "concat":
            found = ad.experimental.concat_on_disk(sorted(Path(source).iterdir()), rest[0], join=rest[1])
        case "disk":
            found = to_disk(os.path.getsize(source), *rest)
        case "matrix":
            found = ad.io.read_elem(store(source)["X"])
        case "arrays":
            x = store(source)["X"]
            found = [x[name][:] for name in ("data", "indices", "indptr")]
        case "entries":
            found = ad.read_h5ad(source).X.tocoo()
            found = pa.table({"row": found.row, "col": found.col, "value": found.data})
        case "obs":
            found = pa.Table.from_pandas(ad.io.read_elem(store(source)["obs"]))
        case "col-backed":
            found = ad.read_h5ad(source, backed="r").X[:, [int(rest[0])]]
        case "col-elem":
            found = ad.io.sparse_dataset(store(source)["X"])[:, [int(rest[0])]]
        case "row-backed":
            cells = np.array(rest[0].split(","), int)
            found = ad.read_h5ad(source, backed="r")[cells].to_memory().X
        case "row-elem":
            cells = np.array(rest[0].split(","), int)
            found = ad.io.sparse_dataset(store(source)["X"])[cells]
        case _:
            sys.exit(__doc__)
    seconds = time.perf_counter() - began
    match task:
        case "matrix":
            result = of_csr(found)
        case "arrays":
            data, indices, indptr = found
            result = {"entries": len(data), "value": float(data.sum(dtype=np.float64))}
            result |= {"col": float(indices.sum(dtype=np.float64)), "rows": len(indptr) - 1}
        case "entries":
            result = of_entries(*(found[name].to_numpy() for name in ("row", "col", "value")))
        case "obs":
            result = of_table(found)
        case "col-backed" | "col-elem":
            entries = found.tocoo()
            result = of_entries(entries.row, np.full(entries.nnz, int(rest[0])), entries.data)
        case "row-backed" | "row-elem":
            result = of_entries(cells.repeat(np.diff(found.indptr)), found.indices, found.data)
        case _:
            result = None
    print(json.dumps({"seconds": seconds, "result": result}))


if __name__ == "__main__":
    main(*sys.argv[1:])
