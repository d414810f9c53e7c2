"""
The server of `annarrow view`: every call gives what anndata, mudata and h5py read, and the parts that it saves
are what anndata makes of the same cells and genes.
"""

import base64
import io
import json
import subprocess
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import anndata as ad
import h5py
import mudata as md
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "test/fixtures/data"
PBMC = ROOT / "examples/pbmc.h5ad"


class View:
    """A running server, and its calls."""

    def __init__(self, *paths, options=()):
        command = ["node", ROOT / "dist/cli/main.js", "view", *map(str, paths), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url, self.token = self.process.stdout.readline().strip().split("/#token=")

    def close(self):
        self.process.terminate()
        assert self.process.wait(10) in (0, 143)

    def ask(self, call, **rest):
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        body = json.dumps({"call": call, **rest}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/ask", body, headers)) as response:
            answer, kind = response.read(), response.headers["content-type"]
            if kind == "application/x-ndjson":
                # What takes long tells how far it is, and answers at last.
                return json.loads(answer.splitlines()[-1])
            return json.loads(answer) if kind == "application/json" else table(answer)

    def refusal(self, call, **rest):
        with pytest.raises(urllib.error.HTTPError) as caught:
            self.ask(call, **rest)
        return caught.value.code, json.loads(caught.value.read())["message"]

    def save(self, **rest):
        """The bytes of a part, and the name that the browser is told."""
        path = self.ask("save", **rest)["path"]
        with urllib.request.urlopen(f"{self.url}{path}") as response:
            return response.read(), response.headers["content-disposition"]


def table(stream):
    return pa.ipc.open_stream(io.BytesIO(stream)).read_all()


def mask(chosen):
    return {"mask": base64.b64encode(np.packbits(chosen, bitorder="little").tobytes()).decode()}


def named(adata, kind):
    """The names of elements. X is a layer without a name since anndata 0.13."""
    return [name for name in getattr(adata, kind) if name is not None]


@pytest.fixture(scope="module")
def pbmc():
    view = View(PBMC)
    yield view
    view.close()


@pytest.fixture(scope="module")
def adata():
    return ad.read_h5ad(PBMC)


def test_inputs_and_elements(pbmc, adata):
    (only,) = pbmc.ask("inputs")["inputs"]
    assert only == {"name": "pbmc.h5ad", "bytes": PBMC.stat().st_size}
    described = pbmc.ask("describe", input="pbmc.h5ad")
    assert tuple(described["shape"]) == adata.shape
    tables = {one["name"]: one for one in described["tables"]}
    assert tables["X"]["shape"] == list(adata.shape) and tables["X"]["rows"] == adata.X.nnz
    assert tables["obs"]["index"] == (adata.obs.index.name or "_index")
    assert {one["name"] for one in tables["obs"]["columns"]} == {tables["obs"]["index"], *adata.obs.columns}
    for kind in ("obsm", "varm", "layers", "obsp", "varp"):
        assert {f"{kind}/{name}" for name in named(adata, kind)} == {n for n in tables if n.startswith(f"{kind}/")}
    assert described["failures"] == []


def test_rows_of_a_range(pbmc, adata):
    got = pbmc.ask("rows", input="pbmc.h5ad", table="obs", rows=[100, 200], columns=["cell_type", "n_genes"])
    assert got.column_names == ["cell_type", "n_genes"]
    assert got["cell_type"].to_pylist() == adata.obs["cell_type"].iloc[100:200].tolist()
    assert got["n_genes"].to_pylist() == adata.obs["n_genes"].iloc[100:200].tolist()
    # A window that ends beyond the table.
    assert pbmc.ask("rows", input="pbmc.h5ad", table="obs", rows=[2690, 2800]).num_rows == 10


@pytest.mark.parametrize("positions", [[5, 2, 2000, 2, 5], [], list(range(2699, -1, -1)), [2699]])
def test_rows_at_positions(pbmc, adata, positions):
    got = pbmc.ask("rows", input="pbmc.h5ad", table="obs", at=positions)
    want = adata.obs.iloc[positions]
    assert got["_index"].to_pylist() == want.index.tolist()
    for name in adata.obs:
        column = [None if pd.isna(value) else value for value in want[name]]
        assert got[name].to_pylist() == column, name
    umap = pbmc.ask("rows", input="pbmc.h5ad", table="obsm/X_umap", at=positions)
    flat = np.array([umap.column(i).to_pylist() for i in range(umap.num_columns)]).T
    values = np.array(umap.column(0).to_pylist()).reshape(-1, 2) if umap.num_columns == 1 else flat.reshape(-1, 2)
    assert np.array_equal(values, adata.obsm["X_umap"][positions])


def test_entries_at_positions(pbmc, adata):
    """The rows of a table of coordinates are entries, though the table lies along the cells."""
    entries = adata.X.tocsr().tocoo()
    at = [1000, 3, 187_000, 4]
    got = pbmc.ask("rows", input="pbmc.h5ad", table="X", at=at)
    assert got["row"].to_pylist() == entries.row[at].tolist()
    assert got["col"].to_pylist() == entries.col[at].tolist()
    assert got["value"].to_pylist() == entries.data[at].tolist()


def test_rows_of_a_layout(pbmc, adata):
    got = pbmc.ask("rows", input="pbmc.h5ad", table="X", layout="dense", rows=[10, 20])
    values = np.array(got.column(0).to_pylist())
    assert np.array_equal(values, adata.X[10:20].toarray())


@pytest.mark.parametrize("matrix", ["X", "layers/counts"])
def test_genes(pbmc, adata, matrix):
    of = adata.X if matrix == "X" else adata.layers["counts"]
    for position in (0, 17, 799):
        got = pbmc.ask("gene", input="pbmc.h5ad", matrix=matrix, position=position)
        column = of[:, [position]].toarray().ravel()
        assert got.column_names == ["row", "value"]
        assert got["row"].to_pylist() == np.flatnonzero(column).tolist()
        assert got["value"].to_pylist() == column[column != 0].tolist()


def test_positions_by_condition_and_order(pbmc, adata):
    ask = lambda **how: pbmc.ask("positions", input="pbmc.h5ad", table="obs", **how)["position"].to_pylist()
    genes = adata.obs["n_genes"].to_numpy()
    assert ask(filter="n_genes > 900") == np.flatnonzero(genes > 900).tolist()
    assert ask(sort={"column": "n_genes", "descending": False}) == np.argsort(genes, kind="stable").tolist()
    assert ask(sort={"column": "n_genes", "descending": True}) == np.argsort(-genes, kind="stable").tolist()
    is_b = (adata.obs["cell_type"] == "B cell").to_numpy()
    want = [i for i in np.argsort(-genes, kind="stable") if is_b[i]]
    assert ask(filter="cell_type = 'B cell' -- note", sort={"column": "n_genes", "descending": True}) == want
    assert ask() == list(range(2700))


def test_positions_of_entries(pbmc, adata):
    entries = adata.X.tocsr().tocoo()
    got = pbmc.ask("positions", input="pbmc.h5ad", table="X", filter="value > 4")["position"].to_pylist()
    assert got == np.flatnonzero(entries.data > 4).tolist()


@pytest.mark.parametrize(
    "condition", ["true) union select 1 from obs where (true", "true; drop table obs", "(true", "", "true true", "row = ("]
)
def test_conditions_are_one_expression(pbmc, condition):
    code, _ = pbmc.refusal("positions", input="pbmc.h5ad", table="obs", filter=condition)
    assert code == 400


def test_statements(pbmc, adata):
    got = pbmc.ask("sql", input="pbmc.h5ad", sql="select cell_type, count(*) as n from obs group by 1 order by 1")
    want = adata.obs["cell_type"].value_counts()
    assert dict(zip(got["cell_type"].to_pylist(), got["n"].to_pylist())) == want[want > 0].to_dict()
    symbol = adata.var_names[3]
    got = pbmc.ask("sql", input="pbmc.h5ad", sql=f"select sum(value) as total from gene('{symbol}')")
    assert got["total"][0].as_py() == pytest.approx(adata[:, symbol].X.sum(), rel=1e-5)
    assert "obs" in pbmc.ask("sql", input="pbmc.h5ad", sql="show tables").column(0).to_pylist()


def test_statements_only_read(pbmc, tmp_path):
    out = tmp_path / "out.csv"
    for sql in (f"copy obs to '{out}'", "create table t as from obs", "set threads = 1", "select 1; select 2", ""):
        code, _ = pbmc.refusal("sql", input="pbmc.h5ad", sql=sql)
        assert code in (400, 403), sql
    code, message = pbmc.refusal("sql", input="pbmc.h5ad", sql="select * from read_csv('/etc/passwd')")
    assert code == 400 and "root" not in message
    assert not out.exists()
    code, message = pbmc.refusal("sql", input="pbmc.h5ad", sql="select cell_typ from obs")
    assert code == 400 and "cell_type" in message


def test_names_that_are_not_there(pbmc):
    for call in (
        {"call": "describe", "input": "other.h5ad"},
        {"call": "describe", "input": "../pbmc.h5ad"},
        {"call": "rows", "input": "pbmc.h5ad", "table": "obz"},
        {"call": "rows", "input": "pbmc.h5ad", "table": "obs", "columns": ["cell_typ"]},
        {"call": "gene", "input": "pbmc.h5ad", "matrix": "layers/none", "position": 0},
    ):
        assert pbmc.refusal(**call)[0] == 404, call
    for call in (
        {"call": "rows", "input": "pbmc.h5ad", "table": "obs", "at": [2700]},
        {"call": "gene", "input": "pbmc.h5ad", "matrix": "X", "position": 800},
        {"call": "gene", "input": "pbmc.h5ad", "matrix": "obs", "position": 0},
        {"call": "save", "input": "pbmc.h5ad", "format": "h5ad", "obs": mask(np.ones(2600, bool))},
        {"call": "save", "input": "pbmc.h5ad", "format": "h5ad", "obs": {"mask": "no base64!"}},
        {"call": "save", "input": "pbmc.h5ad", "format": "h5ad", "obs": {"positions": [2700]}},
        {"call": "other"},
    ):
        assert pbmc.refusal(**call)[0] == 400, call


@pytest.fixture(scope="module")
def chosen(adata):
    rng = np.random.default_rng(3)
    return (adata.obs["cell_type"] == "B cell").to_numpy() & (rng.random(adata.n_obs) < 0.7)


def assert_same(part, want):
    assert part.shape == want.shape
    pd.testing.assert_frame_equal(part.obs, want.obs, check_dtype=False, check_index_type=False)
    pd.testing.assert_frame_equal(part.var, want.var, check_dtype=False, check_index_type=False)
    for one, other in [(part.X, want.X), *((part.layers[name], want.layers[name]) for name in named(want, "layers"))]:
        assert one.dtype == other.dtype and (sp.csr_matrix(one) != sp.csr_matrix(other)).nnz == 0
    for kind in ("obsm", "varm"):
        assert set(getattr(part, kind)) == set(getattr(want, kind))
        for name, value in getattr(want, kind).items():
            assert np.array_equal(getattr(part, kind)[name], value)
    for kind in ("obsp", "varp"):
        for name, value in getattr(want, kind).items():
            assert (getattr(part, kind)[name] != value).nnz == 0
    assert set(part.uns) == set(want.uns)


@pytest.mark.parametrize("kind", ["mask", "positions", "names"])
def test_saved_h5ad(pbmc, adata, chosen, tmp_path, kind):
    how = {
        "mask": mask(chosen),
        "positions": {"positions": np.flatnonzero(chosen).tolist()},
        "names": {"names": adata.obs_names[chosen].tolist()},
    }[kind]
    genes = {"names": adata.var_names[[5, 3, 700]].tolist()}
    content, disposition = pbmc.save(input="pbmc.h5ad", format="h5ad", obs=how, var=genes)
    assert disposition == "attachment; filename=\"pbmc-part.h5ad\"; filename*=UTF-8''pbmc-part.h5ad"
    (tmp_path / "part.h5ad").write_bytes(content)
    assert_same(ad.read_h5ad(tmp_path / "part.h5ad"), adata[chosen][:, [5, 3, 700]].copy())


def test_saved_zarr(pbmc, adata, chosen, tmp_path):
    content, _ = pbmc.save(input="pbmc.h5ad", format="zarr.zip", obs=mask(chosen))
    zipfile.ZipFile(io.BytesIO(content)).extractall(tmp_path / "part.zarr")
    assert_same(ad.read_zarr(tmp_path / "part.zarr"), adata[chosen].copy())


def test_saved_tables(pbmc, adata, chosen):
    want = adata.obs[chosen]
    read = {
        "parquet": lambda content: pq.read_table(io.BytesIO(content)),
        "arrow": lambda content: pa.ipc.open_file(io.BytesIO(content)).read_all(),
        "csv": lambda content: pa.csv.read_csv(io.BytesIO(content)),
    }
    for format, reader in read.items():
        content, _ = pbmc.save(input="pbmc.h5ad", format=format, obs=mask(chosen))
        got = reader(content)
        assert got["_index"].to_pylist() == want.index.tolist(), format
        assert got["cell_type"].to_pylist() == want["cell_type"].tolist(), format
        assert got["n_genes"].to_pylist() == want["n_genes"].tolist(), format
    content, disposition = pbmc.save(input="pbmc.h5ad", format="parquet", element="obsm/X_umap", obs=mask(chosen))
    assert "pbmc-obsm-X_umap.parquet" in disposition
    got = pq.read_table(io.BytesIO(content))
    assert got.num_rows == chosen.sum()
    content, _ = pbmc.save(input="pbmc.h5ad", format="names", obs=mask(chosen))
    assert content.decode().splitlines() == want.index.tolist()


def test_a_download_is_good_for_one_time(pbmc):
    path = pbmc.ask("save", input="pbmc.h5ad", format="names")["path"]
    with urllib.request.urlopen(f"{pbmc.url}{path}") as response:
        assert response.read().count(b"\n") == 2700
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{pbmc.url}{path}")
    assert caught.value.code == 410


def test_a_copy_by_genes(tmp_path):
    """Genes are the same with the copy, which is made in the folder that is given."""
    source = tmp_path / "cells.h5ad"
    rng = np.random.default_rng(5)
    want = ad.AnnData(sp.random(4000, 60, density=0.2, format="csr", rng=rng, dtype=np.float32))
    want.write_h5ad(source)
    view = View(source, options=["--companion", str(tmp_path / "copies")])
    try:
        gene = lambda: view.ask("gene", input="cells.h5ad", matrix="X", position=33)
        before = gene()
        assert view.ask("companion", input="cells.h5ad", action="state")["state"] == "absent"
        state = view.ask("companion", input="cells.h5ad", action="start")
        for _ in range(600):
            if state["state"] != "making":
                break
            state = view.ask("companion", input="cells.h5ad", action="state")
        assert state == {"state": "ready", "done": 1, "message": None}
        assert list((tmp_path / "copies").iterdir())
        column = want.X[:, [33]].toarray().ravel()
        for got in (before, gene()):
            assert got["row"].to_pylist() == np.flatnonzero(column).tolist()
            assert got["value"].to_pylist() == column[column != 0].tolist()
    finally:
        view.close()


def test_a_dense_matrix_and_raw(tmp_path):
    rng = np.random.default_rng(6)
    dense = np.where(rng.random((50, 7)) < 0.5, rng.random((50, 7)), 0).astype("f4")
    want = ad.AnnData(dense[:, :5])
    want.raw = ad.AnnData(sp.csc_matrix(dense))
    want.write_h5ad(tmp_path / "dense.h5ad")
    view = View(tmp_path / "dense.h5ad")
    try:
        for matrix, genes in (("X", 5), ("raw/X", 7)):
            for position in range(genes):
                got = view.ask("gene", input="dense.h5ad", matrix=matrix, position=position)
                column = dense[:, position]
                assert got["row"].to_pylist() == np.flatnonzero(column).tolist()
                assert got["value"].to_pylist() == column[column != 0].tolist()
        assert view.ask("companion", input="dense.h5ad", action="start")["state"] == "useless"
    finally:
        view.close()


BROKEN = {
    "anndata/broken.h5ad",
    "anndata/legacy_0_6_broken.h5ad",
    "bpcells-rds/packed-not-utf8.rds",
    "broken-columns/values.h5ad",
    "foreign-tables/int96_far_lists.parquet",
    "hdf5/bad.h5",
    "hostile/declared_categories.h5ad",
    "hostile/declared_words.mat",
    "matlab/bad_objects.mat",
    "matlab/broken.mat",
}


def assert_gene(view, name, matrix, position, values):
    got = view.ask("gene", input=name, matrix=matrix, position=position)
    assert got["row"].to_pylist() == np.flatnonzero(values).tolist()
    assert got["value"].to_pylist() == values[values != 0].tolist()


def test_files_of_a_folder(adata):
    """Files of every format are listed and described; a gene of a matrix by genes is its row."""
    view = View(FIXTURES)
    try:
        names = {one["name"] for one in view.ask("inputs")["inputs"]}
        assert {"anndata/modern.h5ad", "anndata/modern.v3.zarr.zip", "cellranger/v3.h5"} <= names
        kinds, broken = set(), {}
        for name in sorted(names):
            try:
                described = view.ask("describe", input=name)
            except urllib.error.HTTPError as error:
                # Files that no format has: broken ones, which say what is wrong.
                assert json.loads(error.read())["message"]
                continue
            kinds.add(described["format"])
            for one in described["tables"][:3]:
                if not one["rows"]:
                    continue
                try:
                    got = view.ask("rows", input=name, table=one["name"], rows=[0, 3])
                except urllib.error.HTTPError as error:
                    # The values of some files are broken on purpose.
                    broken[name] = json.loads(error.read())["message"]
                    continue
                assert got.num_rows == min(3, one["rows"]), (name, one["name"])
        assert set(broken) == BROKEN
        assert kinds == {"anndata", "mudata", "10x", "bpcells", "loom", "matlab", "r", "h5seurat", "hdf5", "zarr", "tables"}
        with h5py.File(FIXTURES / "cellranger/v3.h5") as file:
            group = file["matrix"]
            parts = (group["data"][:], group["indices"][:], group["indptr"][:])
            matrix = sp.csc_matrix(parts, shape=tuple(group["shape"][:]))
        assert_gene(view, "cellranger/v3.h5", "X", 4, matrix[[4]].toarray().ravel())
        # Rows of these matrices are genes.
        with h5py.File(FIXTURES / "loom/spec-2.loom") as file:
            assert_gene(view, "loom/spec-2.loom", "matrix", 5, file["matrix"][5])
        expected = json.loads((FIXTURES / "bpcells/expected.json").read_text())
        store = expected["stores"]["packed"]
        entries = expected["entries"][store["entries"]]
        matrix = sp.coo_matrix((store["value"], (entries["row"], entries["col"])), shape=entries["shape"]).toarray()
        assert_gene(view, "bpcells/packed", "matrix", 21, matrix[21])
        whole = md.read_h5mu(FIXTURES / "mudata/axis0.h5mu")
        for name, modality in whole.mod.items():
            values = modality.X.toarray() if sp.issparse(modality.X) else modality.X
            assert_gene(view, "mudata/axis0.h5mu", f"mod/{name}/X", 1, values[:, 1])
    finally:
        view.close()
