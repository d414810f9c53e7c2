"""What `annarrow convert` makes of Cell Ranger's matrices is what scanpy's read_10x_h5 reads.

Further files beside the fixtures: CELL_RANGER_FILES, paths with the separator of PATH between them.
"""

import json
import os
import subprocess
import warnings
from pathlib import Path

import anndata as ad
import h5py
import numpy as np
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest
import scanpy as sc

ROOT = Path(__file__).resolve().parents[2]
CLI = ["node", str(ROOT / "dist/cli/main.js")]
FIXTURES = ROOT / "test/fixtures/data/cellranger"
FURTHER = [Path(path) for path in os.environ.get("CELL_RANGER_FILES", "").split(os.pathsep) if path]

# scanpy takes everything below `features` for a column, and stops at what `extra.h5` has there.
FILES = [FIXTURES / f"{name}.h5" for name in ("v2", "v2-two-genomes", "v2-bare", "v3", "v3-features", "probes", "empty")]


def genomes(path: Path) -> list[str | None]:
    """Groups of Cell Ranger 2; None stands for the one matrix that later ones write."""
    with h5py.File(path) as f:
        return [None] if "matrix" in f else sorted(f)


SOURCES = [(path, genome) for path in (*FILES, *FURTHER) for genome in genomes(path)]


def annarrow(*arguments) -> None:
    run = subprocess.run([*CLI, *map(str, arguments)], capture_output=True, timeout=120)
    assert run.returncode == 0, run.stderr.decode()


def in_genome(path: Path, genome: str | None) -> list[str]:
    """The options that choose a genome; a file of one needs none."""
    return ["--path", genome] if len(genomes(path)) > 1 else []


@pytest.fixture(scope="module", params=SOURCES, ids=lambda one: f"{one[0].stem}-{one[1]}")
def source(request) -> tuple[Path, str | None, ad.AnnData, np.dtype]:
    path, genome = request.param
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        right = sc.read_10x_h5(path, genome=genome, gex_only=False)
    with h5py.File(path) as f:
        stored = f[genome or "matrix"]["data"].dtype
    # scanpy turns int32, and nothing else, into floats of the same size; here counts stay what they are.
    assert right.X.dtype == ("f4" if stored == "i4" else stored)
    return path, genome, right, stored


def same_frame(found, right):
    assert list(found.index) == list(right.index)
    assert list(found.columns) == list(right.columns)
    for column in right:
        assert (found[column].dtype == bool) == (right[column].dtype == bool), column
        assert list(found[column]) == list(right[column]), column


@pytest.mark.parametrize("to", ["parquet", "arrow"])
def test_tables_are_what_scanpy_reads(source, tmp_path, to):
    path, genome, right, stored = source
    annarrow("convert", path, f"{tmp_path}/out/", "--to", to, *in_genome(path, genome))
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["format"] == "10x" and manifest["shape"] == list(right.shape)

    def read(name):
        file = tmp_path / "out" / f"{name}.{to}"
        table = pq.read_table(file) if to == "parquet" else ipc.open_file(file).read_all()
        table.validate(full=True)
        return table

    x = read("X")
    row, col, value = (x[column].to_numpy() for column in ("row", "col", "value"))
    assert value.dtype == stored
    assert np.array_equal(row, np.repeat(np.arange(right.n_obs), np.diff(right.X.indptr)))
    assert np.array_equal(col, right.X.indices)
    assert np.array_equal(value, right.X.data)
    same_frame(read("obs").to_pandas(), right.obs)
    same_frame(read("var").to_pandas(), right.var)


def test_anndata_is_what_scanpy_reads(source, tmp_path):
    path, genome, right, stored = source
    annarrow("convert", path, tmp_path / "out.h5ad", *in_genome(path, genome))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ad.read_h5ad(tmp_path / "out.h5ad")
    assert found.X.dtype == stored and found.shape == right.shape and (found.X != right.X).nnz == 0
    same_frame(found.obs, right.obs)
    same_frame(found.var, right.var)
    with h5py.File(path) as f:
        attributes = {name: plain(value) for name, value in f.attrs.items() if not name.isupper()}
    besides = {"genome": genome} if genome else {}
    assert {name: plain(value) for name, value in found.uns.items() if name not in {"_all_tag_keys", "target_sets"}} == {
        **attributes,
        **besides,
    }


def plain(value):
    """A scalar or a list; text of h5py as str."""
    value = np.asarray(value).tolist()
    decoded = [one.decode() if isinstance(one, bytes) else one for one in (value if isinstance(value, list) else [value])]
    return decoded if isinstance(value, list) else decoded[0]
