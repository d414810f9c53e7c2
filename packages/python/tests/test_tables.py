"""Tables beside what anndata has in memory."""

import doctest
import pickle
import traceback
from datetime import datetime

import annarrow
import annarrow._dataset
import annarrow._scan
import anndata as ad
import h5py
import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse


def matrix(table: pa.Table, shape: tuple[int, int]) -> sparse.csr_matrix:
    row, col, value = (table[name].to_numpy() for name in ("row", "col", "value"))
    return sparse.csr_matrix((value, (row, col)), shape)


def test_dataset(path, data):
    opened = annarrow.open(path)
    assert opened.format == "anndata"
    assert opened.shape == data.shape
    assert {"X", "obs", "var", "layers/csc", "layers/counts", "obsm/X_pca"} <= set(opened.tables)
    assert opened.failures == {}
    assert repr(opened).startswith(f"<annarrow.Dataset {path} (anndata 900 x 70)")


@pytest.mark.parametrize("name", ["X", "layers/csc", "layers/counts"])
def test_matrices(path, data, name):
    table = annarrow.open(path).table(name)
    expected = data.X if name == "X" else data.layers[name.removeprefix("layers/")]
    assert table.num_rows == expected.nnz
    assert table.schema.names == ["row", "col", "value"]
    assert table.schema.field("value").type == pa.from_numpy_dtype(expected.dtype)
    with table.reader() as reader:
        assert reader.schema.equals(table.schema)
        found = pa.Table.from_batches(reader, table.schema)
    assert (matrix(found, data.shape) != expected).nnz == 0
    dense = annarrow.open(path).table(name, layout="dense").read()
    assert np.array_equal(np.stack(dense["value"].to_numpy()), expected.toarray())


def test_frame(path, data):
    table = annarrow.open(path).table("obs")
    found = table.read().to_pandas()
    assert found.index.tolist() == data.obs_names.tolist()
    assert list(found.columns) == list(data.obs.columns)
    for name in found.columns:
        missing = data.obs[name].isna().tolist()
        assert found[name].isna().tolist() == missing
        kept = ~np.array(missing)
        assert found[name][kept].tolist() == data.obs[name][kept].tolist(), name
    assert found["stage"].cat.ordered
    assert found["stage"].cat.categories.tolist() == ["early", "late"]
    assert table.schema.field("cell_type").type == pa.dictionary(pa.int8(), pa.string())
    assert table.schema.field("age").type == pa.int32()
    assert pa.table(table).equals(table.read())


def test_columns_and_rows(path, data):
    X = annarrow.open(path).table("X")
    entries = data.X.tocoo()
    some = X.read(columns=["value", "col"], rows=(1000, 3000))
    assert some.schema.names == ["value", "col"]
    assert np.array_equal(some["value"], entries.data[1000:3000])
    assert np.array_equal(some["col"], entries.col[1000:3000])
    for rows in [range(5, 10), slice(5, 10)]:
        assert X.read(["value"], rows)["value"].to_pylist() == entries.data[5:10].tolist()
    assert X.read(rows=slice(-5, None)).num_rows == 5
    assert X.read(rows=(7, 7)).num_rows == 0


CHOICES = {
    "condition": ("n_counts > 500000000000", lambda data: data.obs["n_counts"] > 500000000000),
    "condition on categories": ("cell_type = 'B cell'", lambda data: data.obs["cell_type"] == "B cell"),
    "names": (["cell-0-7", "cell-0-3"], lambda data: data.obs_names.isin(["cell-0-3", "cell-0-7"])),
    "numbers": (np.array([3, 7, 700]), lambda data: np.isin(np.arange(900), [3, 7, 700])),
    "a column": (pa.array([5, 6]), lambda data: np.isin(np.arange(900), [5, 6])),
    "a mask": (np.arange(900) % 7 == 0, lambda data: np.arange(900) % 7 == 0),
    "a slice": (slice(100, 300), lambda data: np.isin(np.arange(900), np.arange(100, 300))),
    "an open slice": (slice(800, None), lambda data: np.arange(900) >= 800),
    "nothing": ([], lambda data: np.zeros(900, bool)),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_where(path, data, choice):
    row, mask = CHOICES[choice]
    opened = annarrow.open(path)
    kept = np.asarray(mask(data))
    expected = sparse.csr_matrix(sparse.diags(kept.astype(np.float32)) @ data.X)
    assert (matrix(opened.table("X").read(where={"row": row}), data.shape) != expected).nnz == 0
    columns = sparse.csr_matrix(expected.multiply(np.isin(np.arange(70), [3, 5])))
    both = opened.table("X").read(where={"row": row, "col": ["gene-3", "gene-5"]})
    assert (matrix(both, data.shape) != columns).nnz == 0
    assert opened.table("obs").read(where={"row": row})["_index"].to_pylist() == data.obs_names[kept].tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda path: annarrow.open(f"{path}.not"),
        lambda path: annarrow.files(f"{path}.*.not"),
        lambda path: annarrow.open(path).table("nowhere"),
        lambda path: annarrow.open(path).table("obs").reader(columns=["nowhere"]),
        lambda path: annarrow.open(path).table("obs").read(columns=["nowhere"]),
        lambda path: annarrow.scan(path, "nowhere"),
        lambda path: annarrow.union_files(f"{path}.not", "X"),
    ],
)
def test_an_error_of_the_caller_shows_one_line_of_the_package(path, call):
    with pytest.raises(annarrow.NotFoundError) as caught:
        call(path)
    own = [frame for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename != __file__]
    assert [frame.name for frame in own] == ["called"]
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_errors(path, tmp_path):
    opened = annarrow.open(path)
    with pytest.raises(annarrow.NotFoundError, match="no such file") as caught:
        annarrow.open(tmp_path / "missing.h5ad")
    assert caught.value.source == str(tmp_path / "missing.h5ad")
    with pytest.raises(annarrow.NotFoundError, match="did you mean X"):
        opened.table("x")
    with pytest.raises(annarrow.NotFoundError, match='made.h5ad: X: no column "vale"; did you mean value'):
        opened.table("X").read(columns=["vale"])
    with pytest.raises(annarrow.NotFoundError, match="cell-0-x"):
        opened.table("X").read(where={"row": ["cell-0-x"]})
    with pytest.raises(annarrow.InvalidInputError, match="nowhere"):
        opened.table("X").read(where={"row": "nowhere = 1"})
    with pytest.raises(annarrow.InvalidInputError, match="rows from 1000000 on"):
        opened.table("X").read(rows=(1_000_000, 1_000_001))
    with pytest.raises(annarrow.InvalidInputError, match="either rows or where"):
        opened.table("X").read(rows=(0, 1), where={"row": [0]})
    for where in ["n_counts > 5", {"n_counts": [3]}]:
        with pytest.raises(annarrow.InvalidInputError, match='has the keys "row" and "col"'):
            opened.table("X").read(where=where)
    with pytest.raises(annarrow.InvalidInputError, match=r"`columns` is a list: \['cell_type'\]"):
        opened.table("obs").read(columns="cell_type")
    with pytest.raises(annarrow.InvalidInputError, match=r"`frame` is a list: \['entry'\]"):
        annarrow.open(path, frame="entry")
    with pytest.raises(annarrow.InvalidInputError, match=r"`rows` is \(start, end\)"):
        opened.table("X").read(rows=[1, 2, 3])
    with pytest.raises(annarrow.InvalidInputError, match="layout"):
        opened.table("obs", layout="list")
    broken = tmp_path / "broken.h5ad"
    broken.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(annarrow.InvalidDataError, match=r"broken\.h5ad"):
        annarrow.open(broken)
    # They are Python's own classes, too.
    assert issubclass(annarrow.NotFoundError, LookupError)
    assert issubclass(annarrow.InvalidDataError, ValueError)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy), copy.source) == (annarrow.NotFoundError, str(caught.value), caught.value.source)


def test_values_that_are_broken(tmp_path):
    """An error in the middle of a stream is an exception of the batch that it concerns."""
    import h5py

    file = tmp_path / "broken.h5ad"
    ad.AnnData(sparse.random(20_000, 500, 0.5, "csr", np.float32)).write_h5ad(file)
    with h5py.File(file, "r+") as h5:
        h5["X/indices"][-1] = 5000
    with annarrow.open(file).table("X").reader() as reader:
        assert reader.read_next_batch().num_rows > 0
        with pytest.raises(annarrow.InvalidDataError, match="5000"):
            reader.read_all()


def test_files(path, tmp_path, monkeypatch):
    for name in ["b.h5ad", "a.h5ad", "c.txt"]:
        (tmp_path / name).write_bytes(b"")
    assert annarrow.files(tmp_path / "*.h5ad") == [str(tmp_path / "a.h5ad"), str(tmp_path / "b.h5ad")]
    with pytest.raises(annarrow.NotFoundError, match="no file matches"):
        annarrow.files(tmp_path / "*.zarr")
    # Paths are those of this process, wherever it is.
    monkeypatch.chdir(path.parent)
    assert annarrow.open(path.name).path == str(path)
    assert annarrow.files("*.h5ad") == [str(path)]


def test_pickle(path):
    table = annarrow.open(path).table("layers/counts", layout="list")
    copy = pickle.loads(pickle.dumps(table))
    assert copy.schema.equals(table.schema)
    assert copy.read().equals(table.read())
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(table.reader())


def test_examples_of_the_documentation():
    for module in [annarrow._dataset, annarrow._scan]:
        found = doctest.testmod(module, extraglobs={"annarrow": annarrow})
        assert found.failed == 0 and found.attempted > 0


def test_plain_hdf5(tmp_path, path):
    file = tmp_path / "run.h5"
    with h5py.File(file, "w") as f:
        packed = f.create_dataset("entry/packed", data=np.array([1, 2, -9], "i2"))
        packed.attrs.update({"scale_factor": 0.5, "_FillValue": np.int16(-9)})
        f.create_dataset("entry/time", data=np.array([0, 1, 36], "i4")).attrs["units"] = "hours since 2000-01-01"
    stored = annarrow.open(file)
    assert stored.format == "hdf5"
    assert stored.table("entry/packed").read()["value"].to_pylist() == [1, 2, -9]
    times = [datetime(2000, 1, 1), datetime(2000, 1, 1, 1), datetime(2000, 1, 2, 12)]
    decoded = annarrow.open(file, cf=True)
    assert decoded.table("entry/packed").read()["value"].to_pylist() == [0.5, 1, None]
    assert decoded.table("entry/time").read()["value"].to_pylist() == times
    both = annarrow.open(file, cf=True, frame=["entry"])
    assert both.table("entry").read().to_pydict() == {"packed": [0.5, 1, None], "time": times}
    assert pickle.loads(pickle.dumps(both)).table("entry").read().equals(both.table("entry").read())
    assert annarrow.scan(file, "entry", frame=["entry"]).collect()["packed"].to_list() == [1, 2, -9]
    with pytest.raises(annarrow.AnnarrowError, match="entri"):
        annarrow.open(file, frame=["entri"])
    with h5py.File(file, "a") as f:
        f["entry/place"] = np.array(["Zürich".encode("latin-1")])
    with pytest.raises(annarrow.AnnarrowError, match="not UTF-8"):
        annarrow.open(file).table("entry/place").read()
    place = annarrow.open(file, text="latin1").table("entry/place")
    assert place.read()["value"].to_pylist() == ["Zürich"]
    assert "X/indptr" in annarrow.open(path, open_as="hdf5").tables
