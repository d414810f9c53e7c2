"""annarrow convert --sort-obs: the cells in the order of pandas' stable sort, with every element along them."""

import subprocess
from pathlib import Path

import anndata as ad
import numpy as np
import pytest
import scipy.sparse as sp
from test_split import CLI, check, make, read


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sorted") / "in.h5ad"
    make().write_h5ad(path, compression="gzip")
    return path


def convert(source: Path, target: Path, *options: str) -> ad.AnnData:
    subprocess.run([*CLI, "convert", str(source), str(target), *options], check=True, capture_output=True, text=True)
    return read(target)


@pytest.mark.parametrize("column", ["category", "integer", "float", "bool", "text", "nullable", "together"])
def test_sorted_cells(file: Path, tmp_path: Path, column: str) -> None:
    data = read(file)
    found = convert(file, tmp_path / "out.h5ad", "--sort-obs", column)
    values = data.obs[column].reset_index(drop=True)
    order = values.sort_values(kind="stable", na_position="last").index.to_numpy()
    with ad.settings.override(remove_unused_categories=False):
        check(found, data[order].copy())


def test_sorted_by_genes(tmp_path: Path) -> None:
    """Entries of a matrix by genes get new cells, which do not rise where they are stored."""
    rng = np.random.default_rng(4)
    data = ad.AnnData(sp.random(500, 40, 0.3, "csc", dtype=np.float32, random_state=1))
    data.obs["value"] = rng.random(500)
    data.write_h5ad(tmp_path / "in.h5ad")
    found = convert(tmp_path / "in.h5ad", tmp_path / "out.h5ad", "--sort-obs", "value")
    expected = data[np.argsort(data.obs["value"].to_numpy(), kind="stable")].X.tocsc()
    expected.sort_indices()
    assert found.X.format == "csc"
    assert (found.X != expected).nnz == 0


def test_both_orders(file: Path, tmp_path: Path) -> None:
    found = convert(file, tmp_path / "out.h5ad", "--sort-obs", "float", "--order", "csc", "--obs-slice", "0:150")
    data = read(file)[:150]
    order = data.obs["float"].reset_index(drop=True).sort_values(kind="stable", na_position="last").index.to_numpy()
    expected = data[order].X.tocsc()
    assert found.X.format == "csc"
    assert found.X.indices.tobytes() == expected.indices.tobytes()
    assert found.X.data.tobytes() == expected.data.tobytes()
