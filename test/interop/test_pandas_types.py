"""Dataframes that `annarrow convert` writes as Parquet have in pandas the types and the values that anndata gives."""

import subprocess
from pathlib import Path

import anndata as ad
import h5py
import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

ROOT = Path(__file__).resolve().parents[2]
WIDTHS = ["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"]


@pytest.fixture(autouse=True)
def text_of_pandas_3():
    """Tests of libraries that need objects turn pandas 3's type of text off, for the whole process."""
    with pd.option_context("future.infer_string", True):
        yield


def frame() -> pd.DataFrame:
    columns = {
        "boolean": pd.array([True, None, False, True], "boolean"),
        "no boolean is missing": pd.array([True, False, False, True], "boolean"),
        "bool": [True, False, True, True],
        "string": pd.array(["a", None, "", "d"], "string"),
        "text": ["a", "b", "", "d"],
        "categories": pd.Categorical(["x", None, "y", "x"], ["y", "x", "unused"], ordered=True),
        "float": np.array([1.5, np.nan, 2, 3], "f4"),
    }
    for width in WIDTHS:
        top = np.iinfo(width.lower()).max
        columns[width] = pd.array([0, top, None, top - 1], width)
        columns[f"{width} without missing ones"] = pd.array([0, top, 1, 2], width)
        columns[width.lower()] = np.array([0, top, 1, top - 1], width.lower())
    return pd.DataFrame(columns, pd.Index(["c0", "c1", "c2", "c3"], name="cell"))


@pytest.mark.parametrize("to", ["parquet", "arrow"])
def test_columns_come_back(tmp_path, to):
    ad.settings.allow_write_nullable_strings = True
    data = ad.AnnData(obs=pd.DataFrame(index=frame().index), shape=(4, 1))
    # anndata makes categories of text in obs.
    data.obsm["frame"] = frame()
    data.write_h5ad(tmp_path / "in.h5ad")
    command = ["node", str(ROOT / "dist/cli/main.js"), "convert", str(tmp_path / "in.h5ad"), str(tmp_path / "out")]
    subprocess.run([*command, "--to", to], check=True)
    file = tmp_path / "out" / "obsm" / f"frame.{to}"
    found = pd.read_parquet(file) if to == "parquet" else pd.read_feather(file)
    expected = ad.read_h5ad(tmp_path / "in.h5ad").obsm["frame"]
    assert_frame_equal(found, expected)


def test_text_of_the_profile_0_14_is_stored_as_anndata_stores_it(tmp_path):
    ad.settings.allow_write_nullable_strings = True
    text = pd.DataFrame({"text": ["a", None, "", "d"], "words": ["a", "b", "c", "d"], "n": [1, 2, 3, 4]}, ["c0", "c1", "c2", "c3"])
    text.to_parquet(tmp_path / "frame.parquet")
    pd.DataFrame(index=["g"]).to_parquet(tmp_path / "var.parquet")
    files = ["--obs", tmp_path / "frame.parquet", "--var", tmp_path / "var.parquet"]
    command = ["node", ROOT / "dist/cli/main.js", "convert", *files, tmp_path / "out.h5ad", "--anndata", "0.14"]
    subprocess.run([str(part) for part in command], check=True)
    expected = ad.AnnData(obs=pd.DataFrame(index=text.index), var=pd.DataFrame(index=["g"]))
    # anndata makes categories of text in obs; a dataframe elsewhere stays as it is.
    expected.obsm["frame"] = text
    expected.write_h5ad(tmp_path / "expected.h5ad")
    with h5py.File(tmp_path / "out.h5ad") as out, h5py.File(tmp_path / "expected.h5ad") as right:
        for column in ["_index", "text", "words", "n"]:
            found, other = out["obs"][column], right["obsm/frame"][column]
            assert dict(found.attrs) == dict(other.attrs), column
            if isinstance(other, h5py.Group):
                assert all(list(found[part][()]) == list(other[part][()]) for part in ("values", "mask"))
    assert_frame_equal(ad.read_h5ad(tmp_path / "out.h5ad").obs, text)
