"""Values of all MATLAB classes, random ones, and what the readers make of them, in one form.

A struct is a dict, a cell a list of its elements (1 x n; a `Column` is n x 1), text a str, a sparse matrix scipy's, everything else an array
of at least two dimensions.
"""

import json
import subprocess
from pathlib import Path

import h5py
import numpy as np
import scipy.sparse as sp

CLASSES = {"double": "f8", "single": "f4", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4"}
CLASSES |= {"uint32": "u4", "int64": "i8", "uint64": "u8", "logical": "?"}
OF_TYPE = {np.dtype(kind): name for name, kind in CLASSES.items()} | {np.dtype("c16"): "double", np.dtype("c8"): "single"}
TEXTS = ["a", "T cell", "x" * 300, "naïve", "日本語", "😀 astral", "tab\there", "'", "a b  "]


class Column(list):
    """A cell of n x 1."""


def numbers(rng: np.random.Generator, shape, kind: str) -> np.ndarray:
    dtype = np.dtype(kind)
    if dtype.kind == "?" or kind == "?":
        return rng.random(shape) < 0.5
    if dtype.kind == "c":
        part = f"f{dtype.itemsize // 2}"
        out = np.empty(shape, dtype)
        out.real, out.imag = numbers(rng, shape, part), np.abs(numbers(rng, shape, part)) + 1
        return out
    if dtype.kind == "f":
        odd = np.array([0, -0.0, np.finfo(dtype).max, np.nan, -np.inf], dtype)
        values = (rng.standard_normal(shape) * 100).astype(dtype)
        return np.where(rng.random(shape) < 0.1, rng.choice(odd, shape), values).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def size(rng) -> tuple[int, ...]:
    n, m, k = (int(x) for x in rng.integers(2, 9, 3))
    return [(1, 1), (1, n), (n, 1), (n, m), (n, m, k), (1, m, k), (0, n), (n, 0)][rng.integers(8)]


def sparse(rng, kind: str = "f8") -> sp.csc_array:
    rows, columns = (int(x) for x in rng.integers(1, 30, 2))
    matrix = sp.random(rows, columns, rng.choice([0.0, 0.2, 0.6]), "csc", random_state=int(rng.integers(2**31)))
    matrix.sum_duplicates()
    data = numbers(rng, matrix.nnz, kind) if kind == "f8" else np.ones(matrix.nnz, bool)
    return sp.csc_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def text(rng) -> str:
    return str(rng.choice(TEXTS))


def element(rng, depth: int):
    kind = rng.integers(8 if depth else 5)
    if kind < 3:
        return numbers(rng, size(rng), str(rng.choice(list(CLASSES.values()))))
    if kind == 3:
        return text(rng)
    if kind == 4:
        return numbers(rng, (1, 1), "f8")
    if kind < 7:
        return {f"f{i}": element(rng, depth - 1) for i in rng.permutation(rng.integers(1, 5))}
    return [element(rng, depth - 1) for _ in range(rng.integers(1, 5))]


def random_values(seed: int) -> dict:
    rng = np.random.default_rng(seed)
    values = {f"v_{name}": numbers(rng, size(rng), kind) for name, kind in CLASSES.items()}
    values |= {"big": numbers(rng, (120, 70), "f8"), "complex_double": numbers(rng, (3, 4), "c16")}
    values |= {"complex_single": numbers(rng, (1, 5), "c8"), "text": text(rng), "s": sparse(rng), "t": sparse(rng, "?")}
    values |= {"cell": [element(rng, 2) for _ in range(4)], "words": [text(rng) for _ in range(5)]}
    values |= {"struct": {f"f{i}": element(rng, 2) for i in rng.permutation(6)}}
    return values


# ---- MATLAB's layout, written with h5py


class Writer:
    def __init__(self, path: Path):
        self.path, self.count = path, 0
        self.file = h5py.File(path, "w", userblock_size=512, libver="earliest")

    def close(self) -> None:
        self.file.close()
        with open(self.path, "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116) + bytes(8) + b"\0\2IM")

    def put(self, where: h5py.Group, name: str, value) -> h5py.HLObject:
        if isinstance(value, dict):
            made = where.create_group(name)
            for key, one in value.items():
                self.put(made, key, one)
            fields = np.empty(len(value), object)
            fields[:] = [np.frombuffer(key.encode(), "S1") for key in value]
            if len(value) > 1:
                made.attrs.create("MATLAB_fields", fields, dtype=h5py.vlen_dtype(np.dtype("S1")))
            return attribute(made, "struct")
        if isinstance(value, list):
            is_column = isinstance(value, Column)
            made = where.create_dataset(name, (1, len(value)) if is_column else (len(value), 1), h5py.ref_dtype)
            for i, one in enumerate(value):
                self.count += 1
                made[(0, i) if is_column else (i, 0)] = self.put(self.file.require_group("#refs#"), f"r{self.count}", one).ref
            return attribute(made, "cell")
        if isinstance(value, str):
            units = np.frombuffer(value.encode("utf-16-le"), "u2").reshape(-1, 1)
            return attribute(where.create_dataset(name, data=units), "char", int_decode=np.int32(2))
        if sp.issparse(value):
            made = where.create_group(name)
            logical = value.dtype == bool
            if value.nnz:
                made["data"], made["ir"] = value.data.astype("u1" if logical else "f8"), value.indices.astype("u8")
            made["jc"] = value.indptr.astype("u8")
            more = {"int_decode": np.int32(1)} if logical else {}
            return attribute(made, "logical" if logical else "double", sparse=np.uint64(value.shape[0]), **more)
        return self.array(where, name, value)

    def array(self, where: h5py.Group, name: str, value: np.ndarray) -> h5py.Dataset:
        more = {"int_decode": np.int32(1)} if value.dtype == bool else {}
        class_ = OF_TYPE[value.dtype]
        if value.size == 0:
            return attribute(where.create_dataset(name, data=np.array(value.shape, "u8")), class_, empty=np.uint8(1), **more)
        stored = value.astype("u1") if value.dtype == bool else value
        if stored.dtype.kind == "c":
            parts = np.empty(stored.shape, [("real", f"f{stored.itemsize // 2}"), ("imag", f"f{stored.itemsize // 2}")])
            parts["real"], parts["imag"] = stored.real, stored.imag
            stored = parts
        return attribute(where.create_dataset(name, data=stored.T), class_, **more)


def attribute(made: h5py.HLObject, class_: str, **more) -> h5py.HLObject:
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(len(class_))
    own = h5py.h5a.create(made.id, b"MATLAB_class", kind, h5py.h5s.create(h5py.h5s.SCALAR))
    own.write(np.array(class_.encode(), f"S{len(class_)}"), mtype=kind)
    for name, value in more.items():
        made.attrs[f"MATLAB_{name}"] = value
    return made


def write(path: Path, values: dict) -> Path:
    writer = Writer(path)
    for name, value in values.items():
        writer.put(writer.file, name, value)
    writer.close()
    return path


# ---- read with every type and size, by h5py and by libmatio


def by_h5py(path: Path) -> dict:
    with h5py.File(path) as file:
        return {name: of_hdf5(file[name]) for name in file if name not in ("#refs#", "#subsystem#")}


def of_hdf5(one: h5py.HLObject):
    class_ = one.attrs["MATLAB_class"].decode()
    if "MATLAB_sparse" in one.attrs:
        jc = one["jc"][()].astype(int)
        data = one["data"][()] if "data" in one else np.zeros(0)
        rows = one["ir"][()].astype(int) if "ir" in one else np.zeros(0, int)
        return sp.csc_array((data.astype(CLASSES[class_]), rows, jc), shape=(int(one.attrs["MATLAB_sparse"]), len(jc) - 1))
    if isinstance(one, h5py.Group):
        assert class_ == "struct"
        order = [b"".join(name).decode() for name in one.attrs["MATLAB_fields"]] if "MATLAB_fields" in one.attrs else list(one)
        assert sorted(order) == sorted(one)
        return {name: of_hdf5(one[name]) for name in order}
    if one.attrs.get("MATLAB_empty", 0):
        shape = tuple(int(x) for x in one[()])
        return "" if class_ == "char" else [] if class_ == "cell" else np.zeros(shape, CLASSES[class_])
    if class_ == "cell":
        assert min(one.shape) == 1
        items = [of_hdf5(one.file[reference]) for reference in one[()].reshape(-1)]
        return Column(items) if one.shape[1] > 1 else items
    values = one[()].T
    if class_ == "char":
        assert values.shape[0] == 1 and one.dtype == "u2" and one.attrs["MATLAB_int_decode"] == 2
        return values.tobytes().decode("utf-16-le")
    if values.dtype.names:
        out = np.empty(values.shape, f"c{2 * values.dtype['real'].itemsize}")
        out.real, out.imag = values["real"], values["imag"]
        return out
    assert (one.attrs.get("MATLAB_int_decode") == 1) == (class_ == "logical")
    assert one.dtype == ("u1" if class_ == "logical" else CLASSES[class_])
    return values.astype(CLASSES[class_])


LIBMATIO = dict(enumerate(["double", "single", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"], 6))
CELL, STRUCT, CHAR, SPARSE = 1, 2, 4, 5


def by_libmatio(program: Path, path: Path) -> dict:
    said = subprocess.run([program, path], capture_output=True, check=True).stdout
    return {name: of_libmatio(value) for name, value in json.loads(said).items()}


def of_libmatio(one: dict):
    class_, shape = one["class"], one["size"]
    if class_ == STRUCT:
        assert shape == [1, 1]
        return dict(zip(one["fields"], map(of_libmatio, one["items"])))
    if class_ == CELL:
        items = [of_libmatio(item) for item in one["items"]]
        return Column(items) if shape[0] > 1 else items
    raw = bytes.fromhex(one.get("data", ""))
    if class_ == CHAR:
        return raw.decode("utf-16-le")
    if class_ == SPARSE:
        ir, jc = (np.frombuffer(bytes.fromhex(one.get(key, "")), "u4").astype(int) for key in ("ir", "jc"))
        data = np.frombuffer(raw, "?" if one["logical"] else "f8")[: len(ir)]
        return sp.csc_array((data, ir, jc), shape=shape)
    kind = "?" if one["logical"] else CLASSES[LIBMATIO[class_]]
    values = np.frombuffer(raw, kind)
    if one["complex"]:
        out = np.empty(len(values), f"c{2 * values.itemsize}")
        out.real, out.imag = values, np.frombuffer(bytes.fromhex(one["imaginary"]), kind)
        values = out
    return values.reshape(shape, order="F")


def same(found, wanted, where: str = "") -> None:
    """With types, sizes and bits, but for the kinds of NaN."""
    if isinstance(wanted, dict):
        assert isinstance(found, dict) and list(found) == list(wanted), where
        for name in wanted:
            same(found[name], wanted[name], f"{where}.{name}")
    elif isinstance(wanted, list):
        assert type(found) is type(wanted) and len(found) == len(wanted), where
        for i, (a, b) in enumerate(zip(found, wanted)):
            same(a, b, f"{where}{{{i + 1}}}")
    elif isinstance(wanted, str):
        assert found == wanted, where
    elif sp.issparse(wanted):
        assert sp.issparse(found) and found.shape == wanted.shape, where
        for part in ("indptr", "indices"):
            np.testing.assert_array_equal(getattr(found, part), getattr(wanted, part), where)
        same(found.data, wanted.data, where)
    else:
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), where
        np.testing.assert_array_equal(found, wanted, where)
        if wanted.dtype.kind == "f":
            signs = np.signbit(found[wanted == 0]) == np.signbit(wanted[wanted == 0])
            assert signs.all(), where


# ---- two readings of one library


def identical(found, wanted, where: str = "") -> None:
    assert type(found) is type(wanted), f"{where}: {type(found)}, expected {type(wanted)}"
    if isinstance(wanted, dict):
        assert set(found) == set(wanted), where
        for name in wanted:
            identical(found[name], wanted[name], f"{where}.{name}")
    elif isinstance(wanted, (list, tuple)):
        assert len(found) == len(wanted), where
        for i, (a, b) in enumerate(zip(found, wanted)):
            identical(a, b, f"{where}[{i}]")
    elif sp.issparse(wanted):
        for part in ("indptr", "indices", "data"):
            identical(getattr(found, part), getattr(wanted, part), where)
        assert found.shape == wanted.shape, where
    elif isinstance(wanted, (np.ndarray, np.generic)):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), where
        if wanted.dtype == object:
            identical(list(found.reshape(-1)), list(wanted.reshape(-1)), where)
        elif wanted.dtype.names:
            for name in wanted.dtype.names:
                identical(found[name], wanted[name], f"{where}.{name}")
        else:
            np.testing.assert_array_equal(found, wanted, where)
    else:
        assert found == wanted or found != found and wanted != wanted, where
