"""Parts of what `concat` puts together, and of folders of Parquet files: `select` and `write` make of them what anndata makes
of the same positions of `anndata.concat` and of the whole file. Both are read batch by batch, in one order."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import anndata as ad
import numpy as np
import pandas as pd
import pytest
from test_concat import CLI, same_dataset
from test_concat_cases import rich
from test_selection import KINDS, Case, hard, make, positions, same_anndata

pytestmark = pytest.mark.filterwarnings("ignore")


@dataclass(frozen=True)
class ConcatCase(Case):
    concat: dict | None = None


@pytest.mark.parametrize("axis", ["obs", "var"])
@pytest.mark.parametrize("join", ["inner", "outer"])
def test_parts_of_concat(tmp_path, axis, join):
    a, b = rich(0, 9, 7, "a"), rich(1, 6, 8, "b")
    b = b[::-1, ::-1].copy()
    files = [str(tmp_path / f"{name}.h5ad") for name in "ab"]
    for data, file in zip((a, b), files):
        data.write_h5ad(file)
    options = {"axis": axis, "join": join, "label": "key", "keys": ["0", "1"], "index_unique": "-", "pairwise": True, "merge": "first"}
    whole = ad.concat([ad.read_h5ad(file) for file in files], **options)
    names = {"index_unique": "indexUnique"}
    given = {names.get(name, name): value for name, value in options.items()}
    rng = np.random.default_rng(3)
    cases = [
        ConcatCase(files, str(tmp_path / f"{i}.h5ad"), *(positions(rng, size, kind) for size, kind in zip(whole.shape, kinds)), concat=given)
        for i, kinds in enumerate(KINDS)
    ]
    make(cases, tmp_path)
    ad.settings.remove_unused_categories = False
    for case in cases:
        found, expected = ad.read_h5ad(case.output), part(whole, case)
        for mine, theirs in zip(frames(found), frames(expected)):
            without_null(mine, theirs)
        same_dataset(found, expected)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_parts_of_tables(tmp_path, form):
    made, folder = tmp_path / "made.h5ad", tmp_path / "tables"
    hard().write_h5ad(made)
    done = subprocess.run([*CLI, "convert", str(made), str(folder), "--to", form], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    whole = ad.read_h5ad(made)
    rng = np.random.default_rng(4)
    cases = [
        Case(str(folder), str(tmp_path / f"{i}.h5ad"), *(positions(rng, size, kind) for size, kind in zip(whole.shape, kinds)))
        for i, kinds in enumerate(KINDS)
    ]
    make(cases, tmp_path)
    ad.settings.remove_unused_categories = False
    for case, kinds in zip(cases, KINDS):
        same_anndata(ad.read_h5ad(case.output), part(whole, case), str(kinds))


def frames(data: ad.AnnData) -> list[pd.DataFrame]:
    mappings = (data.obsm[name] for name in sorted(data.obsm)), (data.varm[name] for name in sorted(data.varm))
    return [data.obs, data.var, *(value for all in mappings for value in all if isinstance(value, pd.DataFrame))]


def without_null(mine: pd.DataFrame, theirs: pd.DataFrame) -> None:
    """Integers and booleans with nulls are floats and objects to anndata, also in a part that has no null."""
    for name in mine.columns:
        if pd.api.types.is_extension_array_dtype(mine[name].dtype) and theirs[name].dtype.kind in "fO" and not mine[name].isna().any():
            mine[name] = mine[name].astype(theirs[name].dtype)


def part(whole: ad.AnnData, case: Case) -> ad.AnnData:
    rows, cols = (slice(None) if chosen is None else np.array(chosen, int) for chosen in (case.obs, case.var))
    return whole[rows, cols].copy()
