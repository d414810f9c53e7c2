"""loompy opens, validates, reads, scans and appends to what we write: of an .h5ad, of a Loom file, of Parquet tables."""

from loompy_here import VERSIONS, annarrow, tables  # isort: skip  (skips where there is no loompy)

from dataclasses import dataclass
from pathlib import Path

import anndata as ad
import h5py
import loompy
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from loom_files import Given, given, made
from loompy.loom_validator import LoomValidator
from test_loompy_files import check, same, stored

ROWS, COLS = 130, 90
"""Genes and cells: two chunks and a part of one."""


def annotated() -> ad.AnnData:
    """What of AnnData Loom has a place for."""
    rng = np.random.default_rng(7)
    obs = pd.DataFrame(
        {
            "total": rng.integers(0, 9000, COLS),
            "score": np.where(rng.random(COLS) < 0.1, np.nan, rng.random(COLS)).astype("f4"),
            "doublet": rng.random(COLS) < 0.2,
            "cluster": pd.Categorical(rng.choice(["B", "T", "NK"], COLS), ["NK", "T", "B", "unused"]),
            "note": np.array([f"cell {i}" for i in range(COLS)], object),
        },
        index=[f"AAAC{i}-1" for i in range(COLS)],
    )
    var = pd.DataFrame({"symbol": [f"S{i}" for i in range(ROWS)]}, index=[f"ENSG{i:05d}" for i in range(ROWS)])
    x = sp.random(COLS, ROWS, 0.1, "csr", "f4", rng)
    counts = sp.random(COLS, ROWS, 0.1, "csc", "f4", rng, lambda n: rng.integers(1, 50, n)).astype("u2")
    data = ad.AnnData(x, obs, var, layers={"counts": counts, "dense": rng.random((COLS, ROWS))})
    data.obsm["X_pca"], data.varm["PCs"] = rng.random((COLS, 5)).astype("f4"), rng.random((ROWS, 2))
    data.obsp["distances"] = sp.random(COLS, COLS, 0.05, "csr", "f8", rng)
    data.uns |= {"title": "a title", "year": 2024, "weights": rng.random(4)}
    return data


def of_anndata(data: ad.AnnData) -> Given:
    columns = lambda frame: {name: np.asarray(frame[name], None if frame[name].dtype.kind in "biuf" else object) for name in frame}
    dense = lambda x: np.ascontiguousarray((x.toarray() if sp.issparse(x) else x).T)
    names = lambda index: np.array(list(index), object)
    distances = data.obsp["distances"].tocoo()
    return Given(
        {"": dense(data.X)} | {name: dense(data.layers[name]) for name in data.layers},
        {"Gene": names(data.var_names), **columns(data.var), **data.varm},
        {"CellID": names(data.obs_names), **columns(data.obs), **data.obsm},
        {},
        {"distances": distances},
        dict(data.uns),
    )


@dataclass
class Written:
    path: Path
    version: str
    values: Given

    def open(self, mode: str = "r") -> loompy.LoomConnection:
        """With the checks that loompy makes by itself."""
        return loompy.connect(str(self.path), mode, validate=True)


def from_h5ad(folder: Path, *options) -> Given:
    data = annotated()
    data.write_h5ad(folder / "source.h5ad")
    said = annarrow("convert", folder / "source.h5ad", folder / "written.loom", *options)
    assert "cluster" in said  # text from now on
    return of_anndata(data)


def from_loom(folder: Path, *options) -> Given:
    values = given(11)
    made(folder / "source.loom", values)
    annarrow("convert", folder / "source.loom", folder / "written.loom", *options)
    return values


def from_tables(folder: Path, *options) -> Given:
    values = given(5)
    annarrow("convert", made(folder / "source.loom", values), f"{folder / 'tables'}/", "--to", "parquet")
    annarrow("convert", folder / "tables", folder / "written.loom", *options)
    return values


def from_parquet_files(folder: Path, *options) -> Given:
    """Of other programs: entries in no order, in several row groups, and a column that is the index."""
    rng = np.random.default_rng(3)
    x = sp.random(COLS, ROWS, 0.2, "coo", "f4", rng)
    order = rng.permutation(x.nnz)
    entries = pa.table({"row": x.row[order], "col": x.col[order], "value": x.data[order]})
    pq.write_table(entries, folder / "X.parquet", row_group_size=500)
    cells = {"barcode": [f"c{i}" for i in range(COLS)], "batch": rng.integers(0, 3, COLS)}
    genes = {"symbol": [f"g{i}" for i in range(ROWS)], "length": rng.random(ROWS)}
    pq.write_table(pa.table(cells), folder / "cells.parquet"), pq.write_table(pa.table(genes), folder / "genes.parquet")
    places = ("--X", folder / "X.parquet", "--obs", folder / "cells.parquet", "--var", folder / "genes.parquet")
    index = ("--index", "obs=barcode", "--index", "var=symbol")
    annarrow("convert", *places, *index, folder / "written.loom", *options)
    attributes = lambda frame, name, first: {name: np.array(frame.pop(first), object), **{k: np.array(v) for k, v in frame.items()}}
    rows, cols = attributes(genes, "Gene", "symbol"), attributes(cells, "CellID", "barcode")
    return Given({"": np.ascontiguousarray(x.toarray().T)}, rows, cols)


SOURCES = {"h5ad": from_h5ad, "loom": from_loom, "tables": from_tables, "parquet": from_parquet_files}


@pytest.fixture(scope="module", params=[(source, version) for source in SOURCES for version in VERSIONS], ids="-".join)
def written(request, tmp_path_factory) -> Written:
    source, version = request.param
    folder = tmp_path_factory.mktemp("written")
    values = SOURCES[source](folder, "--loom-version", version)
    return Written(folder / "written.loom", version, values)


@pytest.fixture
def copy(written, tmp_path) -> Written:
    """One that may be changed."""
    path = tmp_path / "copy.loom"
    path.write_bytes(written.path.read_bytes())
    return Written(path, written.version, written.values)


def valid(path: Path, version: str) -> None:
    validator = LoomValidator(version=version)
    assert validator.validate(str(path), strictness="speconly"), validator.errors
    assert not validator.errors
    # Those of 2.0.1 are about numbers among the globals.
    assert version != "3.0.0" or not validator.warnings


def test_is_valid(written):
    valid(written.path, written.version)
    with written.open() as ds:
        assert loompy.utils.get_loom_spec_version(ds._file) == written.version
        assert ds.shape == written.values.layers[""].shape


def as_loompy_reads(values: np.ndarray, version: str) -> np.ndarray:
    """Of variable text loompy drops what is not ASCII."""
    if values.dtype.kind != "O" or version != "3.0.0":
        return stored(values)
    return np.array([text.encode("ascii", "ignore").decode() for text in values], object)


def test_values_are_those_of_the_source(written):
    values = written.values
    with written.open() as ds:
        assert set(ds.layers.keys()) == set(values.layers)
        for name, layer in values.layers.items():
            same(ds.layers[name][:, :], layer)
        for attributes, found in ((values.rows, ds.ra), (values.cols, ds.ca)):
            assert set(found.keys()) == set(attributes)
            for name, column in attributes.items():
                same(found[name], as_loompy_reads(column, written.version))
        for graphs, found in ((values.row_graphs, ds.row_graphs), (values.col_graphs, ds.col_graphs)):
            assert set(found.keys()) == set(graphs)
            for name, graph in graphs.items():
                assert found[name].shape == graph.shape
                same(np.stack([found[name].row, found[name].col]).astype("i4"), np.stack([graph.row, graph.col]).astype("i4"))
                same(found[name].data, graph.data)
        for name, value in values.globals.items():
            found = ds.attrs[name]
            assert value == found if isinstance(value, str) and value.isascii() else True
            if not isinstance(value, str):
                np.testing.assert_array_equal(found, value)


def test_h5py_reads_text_as_it_was(written):
    """What loompy reads of text may be less than what stands there."""
    if written.version != "3.0.0":
        return
    with h5py.File(written.path) as f:
        for group, attributes in (("row_attrs", written.values.rows), ("col_attrs", written.values.cols)):
            for name, column in attributes.items():
                if column.dtype.kind == "O":
                    assert f[group][name].asstr()[:].tolist() == column.tolist()


def test_storage_is_that_of_loompy(written):
    rows, cols = written.values.layers[""].shape
    with h5py.File(written.path) as f:
        for name in ("matrix", *(f"layers/{one}" for one in f["layers"])):
            assert f[name].chunks == (min(64, rows), min(64, cols))
            assert (f[name].compression, f[name].maxshape) == ("gzip", (rows, None))


def test_scans(written):
    values = written.values
    for axis in (0, 1):
        seen = []
        with written.open() as ds:
            for at, selection, view in ds.scan(axis=axis, batch_size=70, layers=list(values.layers)):
                part = (slice(at, at + 70), slice(None)) if axis == 0 else (slice(None), slice(at, at + 70))
                for name, layer in values.layers.items():
                    same(view.layers[name][:, :], layer[part])
                seen += selection.tolist()
        assert sorted(seen) == list(range(values.layers[""].shape[axis]))


def test_parts(written):
    values, matrix = written.values, written.values.layers[""]
    rows, cols = matrix.shape
    with written.open() as ds:
        same(ds[rows - 1, :], matrix[rows - 1])
        same(ds[:, cols - 1], matrix[:, cols - 1])
        same(ds[rows // 2 :, : cols // 2], matrix[rows // 2 :, : cols // 2])
        np.testing.assert_array_equal(ds.sparse().toarray(), matrix)
        first = next(iter(values.cols))
        same(ds.view[:, : cols // 2].ca[first], as_loompy_reads(values.cols[first], written.version)[: cols // 2])
        largest = ds.map([np.max], axis=0)[0]
        np.testing.assert_array_equal(largest, matrix.max(1))


def test_appends_columns(copy, tmp_path):
    values = copy.values
    more = {name: np.ascontiguousarray(layer[:, ::-1]) for name, layer in values.layers.items()}
    attributes = {name: as_loompy_reads(column, copy.version) for name, column in values.cols.items()}
    with copy.open("r+") as ds:
        ds.add_columns(more, {name: column[::-1] for name, column in attributes.items()})
        assert ds.shape == (values.layers[""].shape[0], 2 * values.layers[""].shape[1])
    valid(copy.path, copy.version)
    grown = lambda one, axis: np.concatenate([one, np.flip(one, axis)], axis)
    layers = {name: grown(layer, 1) for name, layer in values.layers.items()}
    with copy.open() as ds:
        for name, layer in layers.items():
            same(ds.layers[name][:, :], layer)
        for name, column in attributes.items():
            same(ds.ca[name], grown(column, 0))
    # And we read what became of it.
    found = tables(copy.path, tmp_path / "tables")
    graphs = {"row_graphs": values.row_graphs, "col_graphs": {}}
    kept = {name: table for name, table in found.items() if not name.startswith("col_graphs/")}
    cols = {name: grown(column, 0) for name, column in attributes.items()}
    check(kept, Given(layers, values.rows, cols, graphs["row_graphs"], graphs["col_graphs"]))


def test_changes(copy):
    """Elements that loompy adds, replaces and removes."""
    rows, cols = copy.values.layers[""].shape
    with copy.open("r+") as ds:
        ds.ra["added"] = np.arange(rows)
        ds.ca["text"] = np.array([f"t{i}" for i in range(cols)], object)
        ds.layers["double"] = ds[:, :].astype("f8")
        ds.col_graphs["new"] = sp.coo_matrix(([1.5], ([0], [cols - 1])), (cols, cols))
        ds.attrs["global"] = "added"
        ds.attrs["title"] = "replaced"
        del ds.ra[next(iter(copy.values.rows))]
        ds[0, 0] = 1
        ds.permute(np.arange(rows)[::-1], axis=0)
    valid(copy.path, copy.version)
    with copy.open() as ds:
        same(ds.ra["added"], np.arange(rows)[::-1])
        assert (ds[rows - 1, 0], ds.attrs["global"], ds.attrs["title"]) == (1, "added", "replaced")


def test_combines(written, tmp_path):
    """Two of our files, one below the other in loompy's own file."""
    if not all(text.isascii() for text in written.values.rows["Gene"]):
        return
    first, second, out = tmp_path / "first.loom", tmp_path / "second.loom", tmp_path / "out.loom"
    for path in (first, second):
        path.write_bytes(written.path.read_bytes())
    loompy.combine([str(first), str(second)], str(out), key="Gene")
    with loompy.connect(str(out)) as ds:
        matrix = written.values.layers[""]
        same(ds[:, :], np.hstack([matrix, matrix]))


@pytest.mark.parametrize("version", VERSIONS)
def test_anndata_reads_ours(tmp_path, version):
    values = from_h5ad(tmp_path, "--loom-version", version)
    wanted = annotated()
    found = ad.io.read_loom(tmp_path / "written.loom", X_name="", sparse=True, dtype=None)
    assert (list(found.obs_names), list(found.var_names)) == (list(wanted.obs_names), list(wanted.var_names))
    np.testing.assert_array_equal(found.X.toarray(), wanted.X.toarray())
    assert set(found.layers) == set(wanted.layers)
    for name in wanted.layers:
        np.testing.assert_array_equal(found.layers[name].toarray().T, values.layers[name])
    assert set(found.obs) == set(wanted.obs)
    for name in wanted.obs:
        assert list(found.obs[name].astype(object).fillna("")) == list(wanted.obs[name].astype(object).fillna("")), name
    for name in wanted.obsm:
        np.testing.assert_array_equal(found.obsm[name], wanted.obsm[name])


def test_anndata_reads_other_names(tmp_path):
    wanted = annotated()
    from_h5ad(tmp_path, "--obs-attr", "barcode", "--var-attr", "ensembl")
    found = ad.io.read_loom(tmp_path / "written.loom", X_name="", sparse=True, obs_names="barcode", var_names="ensembl")
    assert (list(found.obs_names), list(found.var_names)) == (list(wanted.obs_names), list(wanted.var_names))


def test_we_read_what_anndata_writes(tmp_path):
    """anndata's Loom back to .h5ad: cells and genes, layers and embeddings as they were."""
    wanted = annotated()
    for frame in (wanted.obs, wanted.var):
        for name in frame:
            if frame[name].dtype.kind not in "biuf":
                frame[name] = frame[name].astype(object)
        frame.index = frame.index.astype(object)
    wanted.write_loom(tmp_path / "theirs.loom", write_obsm_varm=True)
    annarrow("convert", tmp_path / "theirs.loom", tmp_path / "back.h5ad")
    found = ad.read_h5ad(tmp_path / "back.h5ad")
    assert (list(found.obs_names), list(found.var_names)) == (list(wanted.obs_names), list(wanted.var_names))
    np.testing.assert_array_equal(found.X.toarray(), wanted.X.toarray())
    np.testing.assert_array_equal(found.layers["counts"].toarray(), wanted.layers["counts"].toarray())
    np.testing.assert_array_equal(found.obsm["X_pca"], wanted.obsm["X_pca"])
