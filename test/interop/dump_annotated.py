"""Writes what a file holds as plain arrays, by the format's own library: python dump_annotated.py TASKS.json

TASKS is a list of {"kind", "path", "out"}, with "path" the modality of a MuData and "validate" for Loom besides. Cells
are rows in all of it: X, layers/*, obsp/*, varp/* as entries that are not zero, in order of rows; cells, genes: names;
obs/*, var/*: columns, with obs/*?: what is missing; obsm/*, varm/*: arrays, or obsm/*#field; uns/*: scalars and arrays.
Each library has an environment of its own: what it needs is imported where it is used.
"""

import json
import re
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")
TAGS = {"uint32": b"UINT32v1", "uint64": b"UINT64v1", "float32": b"FLOATSv1", "float64": b"DOUBLEv1"}


class Dump:
    def __init__(self):
        self.arrays: dict[str, np.ndarray] = {}

    def entries(self, name: str, matrix) -> None:
        """Of a sparse matrix, of a dense one, or (row, col, value)."""
        if isinstance(matrix, tuple):
            row, col, value = map(np.asarray, matrix)
        elif hasattr(matrix, "tocoo"):
            coo = matrix.tocoo()
            row, col, value = coo.row, coo.col, coo.data
        else:
            dense = np.asarray(matrix)
            row, col = np.nonzero(dense)
            value = dense[row, col]
        there = value != 0
        row, col, value = row[there], col[there], value[there]
        order = np.lexsort((col, row))
        self.arrays |= {f"{name}/{part}": array[order] for part, array in [("row", row), ("col", col), ("value", value)]}

    def column(self, name: str, values) -> None:
        values, missing = plain(values)
        self.arrays[name] = values
        if missing.any():
            self.arrays[f"{name}?"] = missing

    def save(self, path: str) -> None:
        names = list(self.arrays)
        odd = [name for name in names if self.arrays[name].dtype.kind not in "biufU"]
        assert not odd, f"no plain arrays: {odd}"
        np.savez(path, names=np.array(json.dumps(names)), **{f"a{i}": self.arrays[name] for i, name in enumerate(names)})


def plain(values) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, booleans or text, and where one is missing (NaN is a number)."""
    missing = np.zeros(np.shape(values)[:1] or 1, bool)
    if hasattr(values, "isna"):
        if str(values.dtype) not in ("float16", "float32", "float64"):
            missing = np.asarray(values.isna())
        values = values.astype(object).tolist()
    array = np.asarray(values)
    if array.dtype.kind not in "OSUT" and not missing.any():
        return array, missing
    flat = [None if gone else text(one) for one, gone in zip(np.asarray(values, object).ravel(), np.resize(missing, array.size))]
    given = [one for one in flat if one is not None]
    numbers = bool(given) and all(isinstance(one, (int, float)) for one in given)
    flat = [(0 if numbers else "") if one is None else one for one in flat]
    filled = np.array([int(one) if isinstance(one, bool) and missing.any() else one for one in flat])
    return (filled if filled.size else np.array([], str)).reshape(array.shape), missing


def text(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (str, int, float, bool, np.generic)):
        return value.item() if isinstance(value, np.generic) else value
    return str(value)


def anndata(path: Path, task: dict) -> Dump:
    import anndata as ad

    if task.get("modality"):
        import mudata

        whole = mudata.read_h5mu(path) if path.suffix == ".h5mu" else mudata.read_zarr(path)
        return of_anndata(whole.mod[task["modality"]])
    if path.name.endswith(".zarr.zip"):
        import zarr

        with zarr.storage.ZipStore(path, mode="r") as store:
            return of_anndata(ad.read_zarr(store))
    return of_anndata(ad.read_zarr(path) if path.is_dir() else ad.read_h5ad(path))


def of_anndata(data) -> Dump:
    dump = Dump()
    dump.arrays |= {"shape": np.array(data.shape), "cells": np.array(data.obs_names.astype(str), str), "genes": np.array(data.var_names.astype(str), str)}
    if data.X is not None:
        dump.entries("X", data.X)
    for name, matrix in data.layers.items():
        if name is not None:
            dump.entries(f"layers/{name}", matrix)
    for axis in ("obs", "var"):
        frame = getattr(data, axis)
        for name in frame.columns:
            dump.column(f"{axis}/{name}", frame[name])
        for name, array in getattr(data, f"{axis}m").items():
            beside(dump, f"{axis}m/{name}", array)
        for name, matrix in getattr(data, f"{axis}p").items():
            dump.entries(f"{axis}p/{name}", matrix)
    for name, value in data.uns.items():
        if isinstance(value, (str, int, float, bool, np.generic, np.ndarray)) and getattr(np.asarray(value).dtype, "names", None) is None:
            dump.arrays[f"uns/{name}"], _ = plain(value)
    return dump


def beside(dump: Dump, name: str, array) -> None:
    if hasattr(array, "columns"):
        for column in array.columns:
            dump.column(f"{name}#{column}", array[column])
    elif hasattr(array, "tocoo"):
        dump.entries(f"{name}~", array)
    elif isinstance(array, np.ndarray):
        dump.arrays[name], _ = plain(array)


def loom(path: Path, task: dict) -> Dump:
    import loompy

    if task.get("validate"):
        validator = loompy.LoomValidator()
        assert validator.validate(str(path)), validator.errors
    dump = Dump()
    with loompy.connect(str(path), "r", validate=False) as data:
        dump.arrays["shape"] = np.array(data.shape[::-1])
        dump.entries("X", data[:, :].T)
        for name in data.layers.keys():
            if name != "":
                dump.entries(f"layers/{name}", data.layers[name][:, :].T)
        file = data._file
        for axis, own, names, graphs, frame in (("obs", "col_attrs", "cells", "col_graphs", data.ca), ("var", "row_attrs", "genes", "row_graphs", data.ra)):
            index = next((one for one in INDEX[axis] if one in frame.keys()), None)
            for name in frame.keys():
                # loompy loses text that is not ASCII.
                stored = file[own][name]
                values = stored.asstr()[...] if stored.dtype == object else stored[...] if stored.dtype.names else frame[name]
                if name == index:
                    dump.arrays[names] = np.array([str(one) for one in values], str)
                elif stored.dtype.names:
                    for field in stored.dtype.names:
                        dump.column(f"{axis}m/{name}#{field}", values[field])
                else:
                    dump.column(f"{axis}{'m' if values.ndim > 1 else ''}/{name}", values)
            for name in file[graphs] if graphs in file else []:
                graph = file[graphs][name]
                dump.entries(f"{axis}p/{name}", (graph["a"][...], graph["b"][...], graph["w"][...]))
        for name in data.attrs.keys():
            # The time stamp of the root is no global attribute.
            if name != "LOOM_SPEC_VERSION" and (name != "last_modified" or name in file.get("attrs", {})):
                stored = file["attrs"].get(name) if "attrs" in file else None
                value = stored.asstr()[()] if stored is not None and stored.dtype == object else data.attrs[name]
                dump.arrays[f"uns/{name}"], _ = plain(value)
    return dump


INDEX = {"obs": ("CellID", "obs_names", "cell_names"), "var": ("Gene", "var_names", "gene_names")}


def bpcells(path: Path, task: dict) -> Dump:
    if path.is_file():
        with tempfile.TemporaryDirectory() as folder:
            return of_bpcells(from_hdf5(path, Path(folder) / "store"))
    return of_bpcells(path)


def from_hdf5(path: Path, folder: Path) -> Path:
    """The arrays of a group as the files of a directory, which the package opens."""
    import h5py

    folder.mkdir()
    stores: list = []
    with h5py.File(path) as file:
        groups = [file, *(one for one in (file.visititems(lambda _, one: stores.append(one)) or stores))]
        group = next(one for one in groups if isinstance(one, h5py.Group) and "version" in one.attrs)
        for name, dataset in group.items():
            if dataset.dtype == object or dataset.dtype.kind == "S":
                lines = [one.decode() for one in np.atleast_1d(dataset[...])]
                (folder / name).write_text("".join(f"{line}\n" for line in lines))
            else:
                (folder / name).write_bytes(TAGS[dataset.dtype.name] + dataset[...].tobytes())
        (folder / "version").write_text(f"{text(group.attrs['version'])}\n")
    return folder


def of_bpcells(path: Path) -> Dump:
    import bpcells.experimental as bp

    dump = Dump()
    version = (path / "version").read_text().strip()
    entries = bp.DirMatrix(str(path))[:, :] if version.startswith("packed-uint") else unpacked(path, version)
    dump.arrays["shape"] = np.array(entries.shape[::-1])
    dump.entries("X", entries.T)
    for name, file in (("cells", "col_names"), ("genes", "row_names")):
        lines = (path / file).read_text().splitlines() if (path / file).exists() else []
        if lines:
            dump.arrays[name] = np.array(lines, str)
    return dump


def unpacked(path: Path, version: str):
    """Plain arrays, behind eight bytes that say of which type: the package reads packed integers alone."""
    import scipy.sparse as sp

    array = lambda name, dtype: np.fromfile(path / name, dtype, offset=8)
    values = {"unpacked-float-matrix-v2": "<f4", "unpacked-double-matrix-v2": "<f8", "unpacked-uint-matrix-v2": "<u4"}[version]
    parts = (array("val", values), array("index", "<u4"), array("idxptr", "<u8").astype(np.int64))
    shape = tuple(int(one) for one in array("shape", "<u4"))
    rows = (path / "storage_order").read_text().strip() == "row"
    return sp.csr_matrix(parts, shape) if rows else sp.csc_matrix(parts, shape)


def tenx(path: Path, task: dict) -> Dump:
    import h5py
    import scipy.sparse as sp

    dump = Dump()
    with h5py.File(path) as file:
        group = file["matrix"] if "matrix" in file else next(iter(file.values()))
        shape = group["shape"][...][::-1]
        dump.arrays |= {"shape": shape, "cells": np.array([one.decode() for one in group["barcodes"][...]], str)}
        names = group["features/name"] if "features" in group else group["gene_names"]
        dump.arrays["genes"] = np.array([one.decode() for one in names[...]], str)
        for column, stored in (("gene_ids", "id"), ("feature_types", "feature_type"), ("genome", "genome")):
            if f"features/{stored}" in group:
                dump.column(f"var/{column}", group[f"features/{stored}"].asstr()[...])
        dump.entries("X", sp.csr_matrix((group["data"][...], group["indices"][...], group["indptr"][...]), shape))
    return dump


def mat(path: Path, task: dict) -> Dump:
    """A MATLAB file that annarrow wrote. What other libraries read of its matrix is compared with what stands in it."""
    import h5py
    import mat73
    import pymatreader

    dump = Dump()
    with h5py.File(path) as file:
        root = {name: matlab(file, file[name]) for name in file if name != "#refs#"}
        for axis, names in (("obs", "cells"), ("var", "genes")):
            if axis in root:
                for name, values, missing, is_index in columns(file[axis], root[axis]):
                    if is_index:
                        dump.arrays[names] = np.array([str(one) for one in values], str)
                    else:
                        column(dump, f"{axis}/{name}", values, missing)
            for name, array in root.get(f"{axis}m", {}).items():
                beside_mat(dump, f"{axis}m/{name}", file[f"{axis}m/{name}"], array)
            for name, array in root.get(f"{axis}p", {}).items():
                dump.entries(f"{axis}p/{name}", array)
        for name, array in root.get("layers", {}).items():
            dump.entries(f"layers/{name}", array)
        for name, value in root.get("uns", {}).items():
            if not isinstance(value, dict) and not hasattr(value, "tocoo"):
                shape = origin(file[f"uns/{name}"]).get("shape")
                dump.arrays[f"uns/{name}"] = np.asarray(value) if shape is None else np.asarray(value).reshape(shape)
        if "X" in root:
            dump.entries("X", root["X"])
            dump.arrays["shape"] = np.array(root["X"].shape)
            for other in (mat73.loadmat(str(path), only_include=["X"])["X"], pymatreader.read_mat(str(path), variable_names=["X"])["X"]):
                dense = other.toarray() if hasattr(other, "toarray") else np.asarray(other)
                wanted = root["X"].toarray() if hasattr(root["X"], "toarray") else root["X"]
                np.testing.assert_array_equal(dense.reshape(wanted.shape), wanted)
        else:
            dump.arrays["shape"] = np.array([len(dump.arrays.get("cells", [])), len(dump.arrays.get("genes", []))])
    return dump


def matlab(file, node):
    """A value as numpy has it: dimensions stand in the file the other way round."""
    import h5py
    import scipy.sparse as sp

    name = text(node.attrs.get("MATLAB_class", b""))
    if isinstance(node, h5py.Group):
        if "MATLAB_sparse" not in node.attrs:
            return {key: matlab(file, node[key]) for key in node}
        jc = node["jc"][...].astype(np.int64)
        shape = (int(node.attrs["MATLAB_sparse"]), len(jc) - 1)
        data, ir = (node["data"][...], node["ir"][...]) if "data" in node else (np.zeros(0), np.zeros(0, np.int64))
        return sp.csc_matrix((data, ir.astype(np.int64), jc), shape)
    if node.attrs.get("MATLAB_empty", 0):
        if name == "struct":
            return {}
        size = [int(one) for one in node[...]]
        return "" if name == "char" else np.zeros(size, str if name == "cell" else bool if name == "logical" else CLASSES.get(name, name))
    if name == "char":
        return np.ascontiguousarray(node[...].ravel(), "<u2").tobytes().decode("utf-16-le")
    if name == "cell":
        return np.array([matlab(file, file[one]) for one in node[...].ravel()])
    values = node[...].T
    assert values.dtype == (np.uint8 if name == "logical" else np.dtype(CLASSES.get(name, name))) or values.dtype.names
    return values.astype(bool) if name == "logical" else values


CLASSES = {"double": "float64", "single": "float32"}


def described(node) -> dict:
    return json.loads(text(node.attrs.get("annarrow", "{}")))


def origin(node) -> dict:
    return described(node).get("origin", {}).get("metadata", {})


def columns(group, parts: dict):
    """Name, values, what is missing, and whether it is the index."""
    said = described(group)
    masks = parts.get(said.get("missing", ""), {})
    for one in said["fields"]:
        values, mask = parts[one["field"]], masks.get(one["field"])
        missing = np.zeros(said["rows"], bool) if mask is None else mask.ravel()
        if isinstance(values, dict) and "codes" in values:
            codes, categories = values["codes"].ravel().astype(np.int64), values["categories"].ravel()
            missing = codes == 0
            values = categories[codes - 1] if categories.size else np.zeros(codes.size, str)
        elif isinstance(values, dict):
            continue
        elif values.ndim == 2 and values.shape[1] == 1:
            values = values.ravel()
        yield one["name"], values, missing, one["name"] == said.get("metadata", {}).get("index")


def column(dump: Dump, name: str, values: np.ndarray, missing: np.ndarray) -> None:
    if missing.any():
        values = values.astype(np.int64) if values.dtype == bool else values.copy()
        values[missing] = "" if values.dtype.kind == "U" else 0
        dump.arrays[f"{name}?"] = missing
    dump.arrays[name] = values


def beside_mat(dump: Dump, name: str, node, array) -> None:
    if isinstance(array, dict):
        kind = described(node).get("metadata", {}).get("kind")
        for own, values, missing, is_index in columns(node, array) if kind == "dataframe" else ():
            if not is_index:
                column(dump, f"{name}#{own}", values, missing)
    elif hasattr(array, "tocoo"):
        dump.entries(f"{name}~", array)
    else:
        dump.arrays[name] = array


def tables(path: Path, task: dict) -> Dump:
    """A directory of tables, by the words of the format that it was exported from."""
    import pyarrow.ipc as ipc
    import pyarrow.parquet as pq

    manifest = json.loads((path / "manifest.json").read_text())
    read = lambda file: pq.read_table(path / file) if file.endswith(".parquet") else ipc.open_file(path / file).read_all()
    found = {one["name"]: read(one["file"]) for one in manifest["tables"] if not one.get("derived")}
    shape = manifest["shape"]
    if shape is None:
        shape = json.loads(found["X"].schema.metadata[b"annarrow"])["shape"]
    turned = manifest["format"] in ("loom", "bpcells")
    dump = Dump()
    dump.arrays["shape"] = np.array(shape[::-1] if turned else shape)
    for name, table in found.items():
        kind = json.loads(table.schema.metadata[b"annarrow"])["kind"]
        place = PLACES[manifest["format"]](name)
        if place is None:
            continue
        if place in ("X",) or re.match("layers/|obsp/|varp/", place):
            row, col, value = coordinates(table)
            swap = turned and not place.startswith(("obsp", "varp"))
            dump.entries(place, (col, row, value) if swap else (row, col, value))
        elif place in ("cells", "genes"):
            dump.arrays[place] = np.array(table["value"].to_pylist(), str)
        elif place in ("obs", "var"):
            frame(dump, place, table, manifest["format"])
        elif place.startswith(("obsm", "varm")):
            if kind == "dataframe":
                for column in table.column_names[1:]:
                    dump.column(f"{place}#{column}", table[column].to_pandas())
            elif "row" in table.column_names:
                dump.entries(f"{place}~", coordinates(table))
            else:
                dump.arrays[place] = matrix(table["value"])
        elif place.count("/") == 1 and table.num_columns == 1 and kind not in ("null", "awkward-array", "rec-array", "dataframe"):
            scalar = kind in ("string", "numeric-scalar")
            values = table["value"].to_pylist()
            dump.arrays[place], _ = plain(values[0] if scalar else values)
    return dump


def frame(dump: Dump, place: str, table, form: str) -> None:
    names = {"obs": "cells", "var": "genes"}[place]
    described = json.loads(table.schema.metadata[b"annarrow"]).get("index")
    index = next((one for one in INDEX[place] if one in table.column_names), None) if form == "loom" else described
    for name in table.column_names:
        column = table[name]
        if name == index:
            dump.arrays[names] = np.array([str(one) for one in column.to_pylist()], str)
        elif str(column.type).startswith("fixed_size_list"):
            dump.arrays[f"{place}m/{name}"] = matrix(column)
        elif str(column.type).startswith("struct"):
            for field in column.type:
                dump.column(f"{place}m/{name}#{field.name}", [one[field.name] for one in column.to_pylist()])
        else:
            dump.column(f"{place}/{name}", column.to_pandas() if column.null_count == 0 else with_nulls(column))


def with_nulls(column):
    import pandas as pd

    return pd.Series(column.to_pylist(), dtype=object)


def matrix(column) -> np.ndarray:
    return np.asarray(column.to_pylist())


def coordinates(table):
    if "row" in table.column_names:
        return tuple(table[name].to_numpy() for name in ("row", "col", "value"))
    dense = np.stack([np.asarray(one.values.to_numpy(zero_copy_only=False)) for one in table["value"].combine_chunks()])
    row, col = np.nonzero(dense)
    return row, col, dense[row, col]


def bpcells_place(name: str) -> str | None:
    return {"matrix": "X", "col_names": "cells", "row_names": "genes"}.get(name)


def loom_place(name: str) -> str | None:
    top, _, rest = name.partition("/")
    tops = {"matrix": "X", "col_attrs": "obs", "row_attrs": "var", "layers": "layers", "col_graphs": "obsp", "row_graphs": "varp", "attrs": "uns"}
    return None if top not in tops or name == "attrs/LOOM_SPEC_VERSION" or (top.endswith("attrs") and top != "attrs" and rest) else f"{tops[top]}/{rest}".rstrip("/")


def anndata_place(name: str) -> str | None:
    return None if name.startswith("raw/") else name


PLACES = {"bpcells": bpcells_place, "loom": loom_place, "anndata": anndata_place, "matlab": anndata_place, "10x": anndata_place}
KINDS = {"anndata": anndata, "loom": loom, "mat": mat, "bpcells": bpcells, "tables": tables, "10x": tenx}


def main() -> None:
    problems = []
    for task in json.loads(Path(sys.argv[1]).read_text()):
        try:
            KINDS[task["kind"]](Path(task["path"]), task).save(task["out"])
            problems.append(None)
        except Exception as error:
            problems.append(f"{type(error).__name__}: {error}")
    print(json.dumps(problems))


if __name__ == "__main__":
    main()
