"""`convert` with --X, --as, --modality, --elements and --drop, beside what anndata and mudata make of the same file."""

import subprocess
from pathlib import Path

import anndata as ad
import mudata as md
import numpy as np
import pytest
from test_concat import dataset, same_dataset, same_values

ROOT = Path(__file__).resolve().parents[3]
CLI = ["node", str(ROOT / "dist/cli/main.js")]
pytestmark = pytest.mark.filterwarnings("ignore")


def convert(source, target, *flags):
    command = [*CLI, "convert", str(source), str(target), "--anndata", "0.13", *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture
def one(tmp_path):
    data = dataset(0, genes="abc", obs={"type": list("xyzxyz")}, var={"length": np.arange(3)})
    data.layers["counts"] = data.X.astype(np.int32)
    data.layers["scaled"] = data.X.toarray() / 2
    data.obsm["pca"] = np.random.default_rng(1).random((6, 2))
    data.uns["log"] = {"base": 2, "text": "x"}
    data.write_h5ad(tmp_path / "one.h5ad")
    return data


@pytest.mark.parametrize("middle", ["many.h5mu", "many.zarr"])
def test_there_and_back_again(tmp_path, one, middle):
    """An AnnData becomes a modality that mudata reads, and the modality becomes the AnnData."""
    convert(tmp_path / "one.h5ad", tmp_path / middle, "--as", "rna")
    read = md.read_h5mu if middle.endswith(".h5mu") else md.read_zarr
    multimodal = read(tmp_path / middle)
    assert list(multimodal.mod) == ["rna"]
    assert list(multimodal.obs_names) == list(one.obs_names)
    assert list(multimodal.var_names) == list(one.var_names)
    np.testing.assert_array_equal(multimodal.obsmap["rna"].ravel(), np.arange(1, 7))
    np.testing.assert_array_equal(multimodal.varmap["rna"].ravel(), np.arange(1, 4))
    same_dataset(multimodal.mod["rna"], ad.read_h5ad(tmp_path / "one.h5ad"))
    convert(tmp_path / middle, tmp_path / "back.h5ad", "--modality", "rna")
    same_dataset(ad.read_h5ad(tmp_path / "back.h5ad"), ad.read_h5ad(tmp_path / "one.h5ad"))


def test_a_modality_that_mudata_wrote(tmp_path, one):
    other = dataset(1, rows=4, genes="xyzw")
    md.MuData({"rna": one, "atac": other}).write_h5mu(tmp_path / "many.h5mu")
    multimodal = md.read_h5mu(tmp_path / "many.h5mu")
    for name in ("rna", "atac"):
        convert(tmp_path / "many.h5mu", tmp_path / f"{name}.h5ad", "--modality", name)
        same_dataset(ad.read_h5ad(tmp_path / f"{name}.h5ad"), multimodal.mod[name])


@pytest.mark.parametrize("layer", ["counts", "scaled"])
def test_a_layer_as_the_matrix(tmp_path, one, layer):
    said = convert(tmp_path / "one.h5ad", tmp_path / "out.h5ad", "--X", f"layers/{layer}")
    assert "left out: X" in said
    wanted = ad.read_h5ad(tmp_path / "one.h5ad")
    wanted.X = wanted.layers.pop(layer)
    same_dataset(ad.read_h5ad(tmp_path / "out.h5ad"), wanted)


def test_new_names(tmp_path, one):
    """--rename, beside what anndata makes by hand; the matrix and a layer change places."""
    names = ["obsm/pca=obsm/X_pca", "uns/log=uns/past/log", "X=layers/counts", "layers/counts=X"]
    convert(tmp_path / "one.h5ad", tmp_path / "out.h5ad", *(f"--rename={name}" for name in names))
    wanted = ad.read_h5ad(tmp_path / "one.h5ad")
    wanted.obsm["X_pca"] = wanted.obsm.pop("pca")
    wanted.uns["past"] = {"log": wanted.uns.pop("log")}
    wanted.X, wanted.layers["counts"] = wanted.layers["counts"].copy(), wanted.X.copy()
    same_dataset(ad.read_h5ad(tmp_path / "out.h5ad"), wanted)


def test_raw_as_the_matrix(tmp_path, one):
    part = one[:, ["c", "a"]].copy()
    part.raw = one
    part.write_h5ad(tmp_path / "raw.h5ad")
    convert(tmp_path / "raw.h5ad", tmp_path / "out.h5ad", "--X", "raw/X")
    same_dataset(ad.read_h5ad(tmp_path / "out.h5ad"), ad.read_h5ad(tmp_path / "raw.h5ad").raw.to_adata())


def test_all_at_once(tmp_path, one):
    """A layer of an AnnData becomes the matrix of a modality."""
    convert(tmp_path / "one.h5ad", tmp_path / "many.h5mu", "--as", "rna", "--X", "layers/counts", "--drop", "uns,obsm")
    rna = md.read_h5mu(tmp_path / "many.h5mu").mod["rna"]
    same_values(rna.X, one.layers["counts"], "X")
    assert ([name for name in rna.layers if name], list(rna.obsm)) == (["scaled"], [])


def test_elements_and_drop(tmp_path, one):
    convert(tmp_path / "one.h5ad", tmp_path / "some.h5ad", "--elements", "X,obs,var,layers", "--drop", "layers/scaled")
    some = ad.read_h5ad(tmp_path / "some.h5ad")
    wanted = ad.read_h5ad(tmp_path / "one.h5ad")
    del wanted.layers["scaled"], wanted.obsm["pca"]
    wanted.uns = {}
    same_dataset(some, wanted)


def test_a_mapping_is_dropped_with_all_that_it_holds(tmp_path, one):
    one.uns = {"log": {"a": 1, "deep": {"b": 2.5}}, "kept": {"c": 3}, "empty": {}}
    one.write_h5ad(tmp_path / "nested.h5ad")
    convert(tmp_path / "nested.h5ad", tmp_path / "some.zarr", "--drop", "uns/log")
    del one.uns["log"]
    same_dataset(ad.read_zarr(tmp_path / "some.zarr"), one)
