"""annarrow split: each output holds what anndata takes of the file, and the outputs together hold all of it."""

import json
import subprocess
from pathlib import Path

import anndata as ad
import awkward as ak
import h5py
import mudata as md
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from anndata.tests.helpers import assert_equal

ROOT = Path(__file__).resolve().parents[3]
CLI = ["node", str(ROOT / "dist/cli/main.js")]
CELLS, GENES = 200, 50
NAMES = ["B cell", "a/b", "..", "A", "a", "", "größe", "x" * 300, "nul"]


def make() -> ad.AnnData:
    """Every kind of element along both axes, and columns of every kind whose values lie mixed."""
    rng = np.random.default_rng(1)
    data = ad.AnnData(sp.random(CELLS, GENES, 0.2, "csr", dtype=np.float32, random_state=1))
    data.obs_names = [f"c{i}é" for i in range(CELLS)]
    data.var_names = [f"g{i}" for i in range(GENES)]
    names = [*NAMES, "unused"]
    data.obs["category"] = pd.Categorical.from_codes(rng.integers(-1, len(NAMES), CELLS), categories=names)
    data.obs["integer"] = rng.integers(-3, 4, CELLS)
    data.obs["float"] = np.where(rng.random(CELLS) < 0.1, np.nan, rng.integers(0, 3, CELLS) / 2)
    data.obs["bool"] = rng.random(CELLS) < 0.5
    data.obs["text"] = rng.choice(["x", "y", "\U0001f600", "\uff41"], CELLS)
    data.obs["nullable"] = pd.array(np.where(rng.random(CELLS) < 0.2, None, rng.integers(0, 3, CELLS)), dtype="Int64")
    data.obs["together"] = np.sort(rng.integers(0, 4, CELLS))[::-1].copy()
    data.var["chromosome"] = rng.choice(["1", "2", "X"], GENES)
    data.var["half"] = np.arange(GENES) // 25
    data.layers["dense"] = rng.random((CELLS, GENES))
    data.layers["csc"] = sp.random(CELLS, GENES, 0.3, "csc", random_state=2)
    data.layers["int8"] = sp.csr_matrix(rng.integers(0, 2, (CELLS, GENES)).astype(np.int8))
    data.layers["float16"] = rng.random((CELLS, GENES)).astype(np.float16)
    data.obsm["X_pca"] = rng.random((CELLS, 5))
    data.obsm["frame"] = pd.DataFrame({"u": rng.random(CELLS), "k": pd.Categorical(rng.choice(["p", "q"], CELLS))},
                                      index=data.obs_names)
    data.obsm["sparse"] = sp.random(CELLS, 7, 0.3, "csr", random_state=3)
    data.obsm["ragged"] = ak.Array([list(range(i % 4)) for i in range(CELLS)])
    data.varm["loadings"] = rng.random((GENES, 3))
    data.obsp["sparse"] = sp.random(CELLS, CELLS, 0.1, "csr", random_state=4)
    data.obsp["dense"] = rng.random((CELLS, CELLS))
    data.varp["csc"] = sp.random(GENES, GENES, 0.2, "csc", random_state=5)
    data.uns["category_colors"] = np.array([f"#00000{i}" for i in range(len(names))])
    data.uns["mapping"] = {"y": 1, "z": "s"}
    data.raw = ad.AnnData(sp.random(CELLS, 60, 0.1, "csr", random_state=6))
    return data


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("split")
    data = make()
    data.write_h5ad(folder / "in.h5ad", compression="gzip")
    data.write_zarr(folder / "in.zarr")
    return {"h5ad": folder / "in.h5ad", "zarr": folder / "in.zarr"}


def split(source: Path, target: Path, *options: str) -> dict:
    subprocess.run([*CLI, "split", str(source), str(target), *options], check=True, capture_output=True, text=True)
    return json.loads((target / "split.json").read_text())


def read(path: Path) -> ad.AnnData:
    return ad.read_h5ad(path) if path.suffix == ".h5ad" else ad.read_zarr(path)


def check(part: ad.AnnData, expected: ad.AnnData) -> None:
    # scipy keeps the order of the entries of a row that it takes columns of, or sorts them: both are one matrix.
    for data in (part, expected):
        for matrices in (data.obsp, data.varp, data.layers):
            for name, matrix in list(matrices.items()):
                if sp.issparse(matrix):
                    matrix.sort_indices()
    assert_equal(part, expected, exact=True)
    assert type(part.X) is type(expected.X)
    assert_equal(part.raw.X, expected.raw.X, exact=True)
    assert_equal(part.raw.var, expected.raw.var, exact=True)


COLUMNS = ["category", "integer", "float", "bool", "text", "nullable", "together"]


@pytest.mark.parametrize("unused", [False, True])
@pytest.mark.parametrize("kind", ["h5ad", "zarr"])
@pytest.mark.parametrize("column", COLUMNS)
def test_by_a_column(files: dict[str, Path], tmp_path: Path, column: str, kind: str, unused: bool) -> None:
    if unused and column != "category":
        pytest.skip("one column tells")
    manifest = split(files[kind], tmp_path / "out", "--by", column, "--to", kind, *(["--drop-unused"] if unused else []))
    data = read(files[kind])
    assert manifest["split"] == {"axis": "obs", "by": column}
    values = data.obs[column]
    order = list(values.cat.categories) if column == "category" else sorted(values.dropna().unique())
    found = [value for value in order if (values == value).any()] + ([None] if values.isna().any() else [])
    assert [part["value"] for part in manifest["parts"]] == found
    with ad.settings.override(remove_unused_categories=unused):
        for part in manifest["parts"]:
            value = part["value"]
            rows = values.isna() if value is None else (values == value).fillna(False)
            expected = data[np.asarray(rows, dtype=bool)].copy()
            assert part["count"] == expected.n_obs
            if unused and value is None:
                continue  # No categories are left, and anndata reads them back with another dtype.
            check(read(tmp_path / "out" / part["file"]), expected)


@pytest.mark.parametrize("kind", ["h5ad", "zarr"])
@pytest.mark.parametrize("column", ["chromosome", "half"])
def test_of_variables(files: dict[str, Path], tmp_path: Path, kind: str, column: str) -> None:
    """Along the variables X, raw and most layers are not stored: they are copied by output first."""
    manifest = split(files[kind], tmp_path / "out", "--axis", "var", "--by", column, "--to", kind)
    data = read(files[kind])
    assert [part["value"] for part in manifest["parts"]] == sorted(data.var[column].unique())
    with ad.settings.override(remove_unused_categories=False):
        for part in manifest["parts"]:
            expected = data[:, np.asarray(data.var[column] == part["value"])].copy()
            check(read(tmp_path / "out" / part["file"]), expected)


def test_of_variables_of_a_part(files: dict[str, Path], tmp_path: Path) -> None:
    """Names in another order than the stored ones come first, and then the split."""
    data = read(files["h5ad"])
    names = np.random.default_rng(3).permutation(data.var_names)[:30]
    (tmp_path / "names.txt").write_text("\n".join(names))
    options = ["--var-names", str(tmp_path / "names.txt"), "--obs-slice", "20:150"]
    manifest = split(files["h5ad"], tmp_path / "out", "--axis", "var", "--by", "chromosome", *options)
    part_of = data[20:150, names]
    with ad.settings.override(remove_unused_categories=False):
        for part in manifest["parts"]:
            expected = part_of[:, np.asarray(part_of.var["chromosome"] == part["value"])].copy()
            check(read(tmp_path / "out" / part["file"]), expected)


@pytest.mark.parametrize("target", ["h5ad", "loom"])
def test_cells_of_a_loom_file(tmp_path: Path, target: str) -> None:
    """Loom stores genes by cells, in chunks along both axes."""
    rng = np.random.default_rng(4)
    values = (rng.integers(1, 90, (130, 210)) * (rng.random((130, 210)) < 0.3)).astype(np.float32)
    spliced = rng.integers(0, 9, values.shape).astype(np.uint16)
    donors = rng.choice([b"d1", b"d2", b"d3"], values.shape[1])
    with h5py.File(tmp_path / "in.loom", "w") as file:
        file.create_dataset("matrix", data=values, chunks=(64, 64), compression="gzip", shuffle=True)
        file.create_dataset("layers/spliced", data=spliced, chunks=(64, 64), compression="gzip")
        file["row_attrs/Gene"] = [f"g{i}".encode() for i in range(values.shape[0])]
        file["col_attrs/CellID"] = [f"c{i}".encode() for i in range(values.shape[1])]
        file["col_attrs/donor"] = donors
        for name in ("row_graphs", "col_graphs", "attrs"):
            file.create_group(name)
        file.attrs["LOOM_SPEC_VERSION"] = "3.0.0"
    manifest = split(tmp_path / "in.loom", tmp_path / "out", "--by", "donor", "--to", target)
    assert [part["value"] for part in manifest["parts"]] == ["d1", "d2", "d3"]
    for part in manifest["parts"]:
        chosen = donors == part["value"].encode()
        path = tmp_path / "out" / part["file"]
        if target == "loom":
            with h5py.File(path) as file:
                found, layer = file["matrix"][()], file["layers/spliced"][()]
                names = [name.decode() for name in file["col_attrs/CellID"][()]]
        else:
            data = read(path)
            found, layer = data.X.toarray().T, data.layers["spliced"].toarray().T
            names = list(data.obs["CellID"] if "CellID" in data.obs else data.obs_names)
        np.testing.assert_array_equal(found, values[:, chosen])
        np.testing.assert_array_equal(layer, spliced[:, chosen])
        assert (found.dtype, layer.dtype) == (np.float32, np.uint16)
        assert names == [f"c{i}" for i in np.flatnonzero(chosen)]


def test_by_rows(files: dict[str, Path], tmp_path: Path) -> None:
    manifest = split(files["h5ad"], tmp_path / "out", "--rows", "64")
    data = read(files["h5ad"])
    assert [part["start"] for part in manifest["parts"]] == [0, 64, 128, 192]
    with ad.settings.override(remove_unused_categories=False):
        for part in manifest["parts"]:
            expected = data[part["start"] : part["start"] + part["count"]].copy()
            check(read(tmp_path / "out" / part["file"]), expected)


def test_outputs_together_are_the_input(files: dict[str, Path], tmp_path: Path) -> None:
    manifest = split(files["h5ad"], tmp_path / "out", "--by", "text")
    parts = [read(tmp_path / "out" / part["file"]) for part in manifest["parts"]]
    data = read(files["h5ad"])
    together = ad.concat(parts)
    assert_equal(together.X, data[together.obs_names].X, exact=True)
    assert sorted(together.obs_names) == sorted(data.obs_names)


def test_a_thousand_outputs(tmp_path: Path) -> None:
    cells, values = 4000, 1000
    rng = np.random.default_rng(2)
    data = ad.AnnData(sp.random(cells, 30, 0.3, "csr", dtype=np.float32, random_state=1))
    data.obs["group"] = rng.permutation(np.arange(cells) % values)
    data.write_h5ad(tmp_path / "in.h5ad")
    manifest = split(tmp_path / "in.h5ad", tmp_path / "out", "--by", "group")
    assert [(part["value"], part["count"]) for part in manifest["parts"]] == [(i, 4) for i in range(values)]
    for part in manifest["parts"][::199]:
        expected = data[np.asarray(data.obs["group"] == part["value"])]
        assert_equal(read(tmp_path / "out" / part["file"]).X, expected.X, exact=True)


@pytest.mark.parametrize("axis", ["obs", "var"])
@pytest.mark.parametrize("turned", [False, True], ids=["as-the-whole", "turned"])
def test_modalities_of_a_mudata(tmp_path: Path, axis: str, turned: bool) -> None:
    """Modalities with other cells each, stored by both axes; turned: the second one has them in another order."""
    rng = np.random.default_rng(7)
    modalities = {}
    for name, some, genes in [("rna", np.arange(120), 30), ("prot", np.arange(40, 160), 20)]:
        cells = some[::-1] if turned and name == "prot" else some
        one = ad.AnnData(sp.random(len(cells), genes, 0.3, "csr", dtype=np.float32, random_state=genes))
        one.obs_names = [f"c{i}" for i in cells]
        one.var_names = [f"{name}{i}" for i in range(genes)]
        one.layers["csc"] = sp.random(len(cells), genes, 0.3, "csc", random_state=genes + 1)
        one.layers["dense"] = rng.random(one.shape)
        modalities[name] = one
    whole = md.MuData(modalities)
    whole.obs["key"] = pd.Categorical(rng.choice(["a", "b", "c"], whole.n_obs))
    whole.var["key"] = pd.Categorical(rng.choice(["a", "b", "c"], whole.n_vars))
    whole.write(tmp_path / "in.h5mu")
    parts = split(tmp_path / "in.h5mu", tmp_path / "out", "--by", "key", "--axis", axis)["parts"]
    assert [part["value"] for part in parts] == ["a", "b", "c"]
    for part in parts:
        found = md.read_h5mu(tmp_path / "out" / part["file"])
        mask = (getattr(whole, axis)["key"] == part["value"]).to_numpy()
        expected = (whole[mask] if axis == "obs" else whole[:, mask]).copy()
        assert list(found.obs_names) == list(expected.obs_names)
        assert list(found.var_names) == list(expected.var_names)
        for name in modalities:
            # Along the axis that is not split, mudata puts a modality in the order of the whole; ours keeps its own.
            own = expected.mod[name]
            kept = "var" if axis == "obs" else "obs"
            order = list(getattr(modalities[name], f"{kept}_names"))
            own = own[:, order] if kept == "var" else own[order]
            assert list(found.mod[name].obs_names) == list(own.obs_names)
            assert list(found.mod[name].var_names) == list(own.var_names)
            for layer in [None, "csc", "dense"]:
                pair = [one.X if layer is None else one.layers[layer] for one in (found.mod[name], own)]
                left, right = (one.toarray() if sp.issparse(one) else np.asarray(one) for one in pair)
                np.testing.assert_array_equal(left, right)
