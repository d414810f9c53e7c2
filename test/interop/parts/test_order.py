"""annarrow convert --order: sparse matrices by rows or by columns, with the bits of scipy's tocsr() and tocsc()."""

import subprocess
from pathlib import Path

import anndata as ad
import h5py
import numpy as np
import pytest
import scipy.sparse as sp
from anndata.tests.helpers import assert_equal

ROOT = Path(__file__).resolve().parents[3]
CLI = ["node", str(ROOT / "dist/cli/main.js")]
CELLS, GENES = 300, 80


def with_duplicates() -> sp.csr_matrix:
    """Rows whose columns are out of order, and some of them twice."""
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 20, CELLS)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    matrix = sp.csr_matrix((CELLS, GENES), dtype=np.float32)
    matrix.data = rng.random(indptr[-1]).astype(np.float32)
    matrix.indices = rng.integers(0, GENES, indptr[-1]).astype(np.int32)
    matrix.indptr = indptr.astype(np.int32)
    return matrix


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = ad.AnnData(sp.random(CELLS, GENES, 0.2, "csr", dtype=np.float32, random_state=1))
    data.obs_names = [f"c{i}" for i in range(CELLS)]
    data.var_names = [f"g{i}" for i in range(GENES)]
    data.layers["csc"] = sp.random(CELLS, GENES, 0.3, "csc", random_state=2)
    data.layers["int8"] = sp.csr_matrix(np.random.default_rng(1).integers(0, 2, (CELLS, GENES)).astype(np.int8))
    data.layers["bool"] = sp.csr_matrix(np.random.default_rng(2).random((CELLS, GENES)) < 0.3)
    data.layers["empty"] = sp.csr_matrix((CELLS, GENES), dtype=np.int64)
    data.layers["duplicates"] = with_duplicates()
    data.layers["dense"] = np.random.default_rng(3).random((CELLS, GENES))
    data.obsp["csr"] = sp.random(CELLS, CELLS, 0.1, "csr", random_state=4)
    data.obsm["csr"] = sp.random(CELLS, 7, 0.3, "csr", random_state=3)
    data.raw = ad.AnnData(sp.random(CELLS, 2 * GENES, 0.1, "csr", random_state=6))
    path = tmp_path_factory.mktemp("order") / "in.h5ad"
    data.write_h5ad(path, compression="gzip")
    # scipy's own long indices, as files of some writers have them.
    with h5py.File(path, "a") as store:
        for name in ("indices", "indptr"):
            values = store["layers/int8"][name][:]
            del store["layers/int8"][name]
            store["layers/int8"][name] = values.astype(np.int64)
    return path


def convert(source: Path, target: Path, *options: str) -> ad.AnnData:
    subprocess.run([*CLI, "convert", str(source), str(target), *options], check=True, capture_output=True, text=True)
    return ad.read_h5ad(target) if target.suffix == ".h5ad" else ad.read_zarr(target)


def same_bits(found, expected) -> None:
    assert found.format == expected.format
    for name in ("indptr", "indices", "data"):
        a, b = getattr(found, name), getattr(expected, name)
        assert a.dtype == b.dtype
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("order", ["csc", "csr"])
@pytest.mark.parametrize("suffix", ["h5ad", "zarr"])
def test_order(file: Path, tmp_path: Path, order: str, suffix: str) -> None:
    data = ad.read_h5ad(file)
    found = convert(file, tmp_path / f"out.{suffix}", "--order", order)
    ordered = {name: m.asformat(order) for name, m in data.layers.items() if sp.issparse(m)}
    same_bits(found.X, data.X.asformat(order))
    same_bits(found.raw.X, data.raw.X.asformat(order))
    for name, matrix in ordered.items():
        same_bits(found.layers[name], matrix)
    assert_equal(found.layers["dense"], data.layers["dense"], exact=True)
    same_bits(found.obsp["csr"], data.obsp["csr"])
    same_bits(found.obsm["csr"], data.obsm["csr"])


def test_there_and_back(file: Path, tmp_path: Path) -> None:
    convert(file, tmp_path / "csc.h5ad", "--order", "csc")
    back = convert(tmp_path / "csc.h5ad", tmp_path / "csr.h5ad", "--order", "csr")
    same_bits(back.X, ad.read_h5ad(file).X)


def test_of_a_part(file: Path, tmp_path: Path) -> None:
    found = convert(file, tmp_path / "out.h5ad", "--order", "csc", "--obs-slice", "20:100", "--var-slice", "5:50")
    same_bits(found.X, ad.read_h5ad(file)[20:100, 5:50].X.tocsc())
