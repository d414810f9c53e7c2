"""What we write, as h5py, libmatio, hdf5storage, mat73 and pymatreader read it: of random MATLAB values, of Arrow tables,
of an .h5ad; in both profiles."""

from matlab_here import MATIO, PROFILES, annarrow  # isort: skip  (skips where there is no hdf5storage)

from pathlib import Path

import anndata as ad
import h5py
import hdf5storage
import mat73
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.ipc as ipc
import pymatreader
import pytest
import scipy.sparse as sp
from matlab_values import CLASSES, Column, by_h5py, by_libmatio, identical, numbers, random_values, same, write

SEEDS = range(12)
OTHERS = {"mat73": mat73.loadmat, "pymatreader": pymatreader.read_mat}


def check(out: Path, values: dict) -> None:
    """That a file holds the values: to h5py and libmatio with every bit, to others as a file of MATLAB's layout does."""
    wanted = write(out.parent / "wanted.mat", values)
    same(by_h5py(wanted), dict(sorted(values.items())))
    same(by_h5py(out), dict(sorted(values.items())))
    if MATIO:
        found = by_libmatio(MATIO, out)
        for name in values:
            same(found[name], values[name], name)
    for name, read in OTHERS.items():
        identical(read(str(out)), read(str(wanted)), name)


def by_hdf5storage(path: Path, name: str):
    return hdf5storage.read(path=f"/{name}", filename=str(path))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_values_written_again(tmp_path, seed):
    values = random_values(seed)
    given = write(tmp_path / "given.mat", values)
    for profile in PROFILES:
        out = tmp_path / f"{profile}.mat"
        annarrow("convert", given, out, "--mat-profile", profile)
        check(out, values)
        # What hdf5storage cannot read of MATLAB's own files (logical sparse matrices) it need not read of ours.
        for name in values:
            try:
                wanted = by_hdf5storage(given, name)
            except Exception:  # noqa: BLE001
                continue
            identical(by_hdf5storage(out, name), wanted, f"hdf5storage: {name}")


@pytest.mark.parametrize("kind", [kind for kind in CLASSES.values() if kind[0] in "iu"])
def test_complex_integers_written_again(tmp_path, kind):
    """MATLAB has them, numpy does not: records of two integers, in matrices, cells and fields of structs."""
    rng = np.random.default_rng(0)
    name = {of: name for name, of in CLASSES.items()}[kind]

    def complex_integers(*shape):
        values = np.zeros(shape[::-1], [("real", kind), ("imag", kind)])
        for part in values.dtype.names:
            values[part] = numbers(rng, shape[::-1], kind)
        return values

    def put(group, path, values, of=name):
        dataset = group.create_dataset(path, data=values)
        dataset.attrs["MATLAB_class"] = np.bytes_(of)
        return dataset.ref

    shapes = {"scalar": (1, 1), "row": (1, 9), "column": (9, 1), "matrix": (3, 4), "box": (2, 3, 4), "large": (700, 900)}
    values = {path: complex_integers(*shape) for path, shape in shapes.items()}
    given, out = tmp_path / "given.mat", tmp_path / "out.mat"
    with h5py.File(given, "w", userblock_size=512) as file:
        for path, one in values.items():
            put(file, path, one)
        file.create_group("struct").attrs["MATLAB_class"] = np.bytes_("struct")
        put(file["struct"], "field", values["matrix"])
        elements = [put(file, f"#refs#/{i}", complex_integers(1, 1)) for i in range(3)]
        put(file, "cell", np.array([elements], h5py.ref_dtype).T, "cell")
    with open(given, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")

    annarrow("convert", given, out)
    with h5py.File(given) as wanted, h5py.File(out) as found:
        paths = [*shapes, "struct/field"]
        pairs = [(wanted[path], found[path]) for path in paths]
        pairs += [(wanted[a], found[b]) for a, b in zip(wanted["cell"][()].ravel(), found["cell"][()].ravel(), strict=True)]
        assert found["cell"].attrs["MATLAB_class"] == b"cell"
        assert found["cell"].shape == wanted["cell"].shape
        for a, b in pairs:
            assert (a.dtype, a.shape, a.attrs["MATLAB_class"]) == (b.dtype, b.shape, b.attrs["MATLAB_class"])
            assert np.array_equal(a[()], b[()])


def column(values) -> np.ndarray:
    """n x 1."""
    return np.asarray(values).reshape(-1, 1)


def categorical(codes, categories: list[str], kind: str) -> dict:
    """From 1, and 0 for what is missing."""
    return {"codes": column(codes).astype(kind), "categories": Column(categories)}


@pytest.mark.parametrize("seed", range(4))
def test_tables_of_arrow(tmp_path, seed):
    """Every type that MATLAB has a class for, with and without missing values."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 2000))
    arrays = {f"c_{name}": numbers(rng, rows, kind) for name, kind in CLASSES.items()}
    lists = numbers(rng, (rows, 3), "f4")
    texts = [str(one) for one in rng.choice(["", "a", "naïve", "😁", "a𝄞b", "two words "], rows)]
    codes = rng.integers(-1, 3, rows)
    missing = rng.random(rows) < 0.3
    missing[0] = True
    fields = {name: pa.array(values) for name, values in arrays.items()}
    fields["lists"] = pa.FixedSizeListArray.from_arrays(pa.array(lists.reshape(-1)), 3)
    fields["texts"] = pa.array(texts)
    fields["kinds"] = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8(), mask=codes < 0), pa.array(["x", "y", "z"]))
    fields["floats"] = pa.array(arrays["c_double"], mask=missing)
    fields["integers"] = pa.array(arrays["c_int32"], mask=missing)
    table = pa.table(fields)
    with ipc.new_file(tmp_path / "t.arrow", table.schema) as sink:
        sink.write_table(table)
    floats = np.where(missing, np.nan, arrays["c_double"])
    integers = np.where(missing, 0, arrays["c_int32"]).astype("i4")
    values = {name: column(one) for name, one in arrays.items()}
    values |= {"lists": lists, "texts": Column(texts), "kinds": categorical(codes + 1, ["x", "y", "z"], "u1")}
    values |= {"floats": column(floats), "integers": column(integers)}
    masks = {"floats": column(missing), "integers": column(missing)}
    for profile in PROFILES:
        out = tmp_path / f"{profile}.mat"
        annarrow("convert", tmp_path / "t.arrow", out, "--mat-profile", profile)
        found = by_h5py(out)["t"]
        (extra,) = set(found) - set(values)
        check(out, {"t": {name: values[name] if name in values else masks for name in found}})
        assert set(found) - {extra} == set(values)
    python = by_hdf5storage(tmp_path / "hdf5storage.mat", "t")
    identical(python["lists"], lists)
    # No text here ends in a unit whose low byte is 0, as "一" and "😀" do: of those, version 0.2 reads not even its own.
    identical(python["texts"], np.array(texts, object))
    identical(python["kinds"]["codes"], (codes + 1).astype("u1"))
    identical(python["floats"], floats)
    for name, one in arrays.items():
        identical(python[name], one)


def annotated() -> ad.AnnData:
    rng = np.random.default_rng(5)
    rows, columns = 60, 40
    obs = pd.DataFrame(
        {
            "total": rng.integers(0, 9000, rows),
            "score": rng.random(rows).astype("f4"),
            "doublet": rng.random(rows) < 0.2,
            "cluster": pd.Categorical(rng.choice(["B", "T", "NK"], rows), ["NK", "T", "B", "unused"]),
            "note": np.array([f"cell {i} é" for i in range(rows)], object),
        },
        index=[f"AAAC{i}-1" for i in range(rows)],
    )
    var = pd.DataFrame({"symbol": np.array([f"S{i}" for i in range(columns)], object)}, index=[f"G{i}" for i in range(columns)])
    x = sp.random(rows, columns, 0.2, "csr", "f8", rng)
    data = ad.AnnData(x, obs, var, layers={"dense": rng.random((rows, columns)).astype("f4")})
    data.obsm["X_pca"], data.varm["PCs"] = rng.random((rows, 5)).astype("f4"), rng.random((columns, 2))
    data.obsp["distances"] = sp.random(rows, rows, 0.05, "csr", "f8", rng)
    data.uns |= {"title": "a title", "year": 2024, "weights": rng.random(4), "cube": rng.random((2, 3, 4))}
    return data


@pytest.mark.parametrize("profile", PROFILES)
def test_an_anndata(tmp_path, profile):
    data = annotated()
    data.write_h5ad(tmp_path / "source.h5ad")
    out = tmp_path / "out.mat"
    annarrow("convert", tmp_path / "source.h5ad", out, "--mat-profile", profile)
    obs, csc = data.obs, lambda matrix: sp.csc_array(matrix.tocsc())
    values = {
        "X": csc(data.X),
        "layers": {"dense": data.layers["dense"]},
        "obs": {
            "x_index": Column(obs.index),
            "total": column(obs["total"]),
            "score": column(obs["score"]),
            "doublet": column(obs["doublet"]),
            "cluster": categorical(obs["cluster"].cat.codes.to_numpy() + 1, list(obs["cluster"].cat.categories), "u1"),
            "note": Column(obs["note"]),
        },
        "obsm": {"X_pca": data.obsm["X_pca"]},
        "obsp": {"distances": csc(data.obsp["distances"])},
        "uns": {"cube": data.uns["cube"], "title": "a title", "weights": column(data.uns["weights"]), "year": column([2024])},
        "var": {"x_index": Column(data.var_names), "symbol": Column(data.var["symbol"])},
        "varm": {"PCs": data.varm["PCs"]},
    }
    check(out, values)
    if profile == "MATLAB":
        return
    python = by_hdf5storage(out, "obs")
    identical(python["total"], obs["total"].to_numpy())
    identical(python["doublet"], obs["doublet"].to_numpy())
    identical(python["note"], obs["note"].to_numpy(object))
    identical(python["cluster"]["categories"], np.array(["NK", "T", "B", "unused"], object))
    assert by_hdf5storage(out, "uns")["title"] == "a title"
    identical(by_hdf5storage(out, "layers")["dense"], data.layers["dense"])
