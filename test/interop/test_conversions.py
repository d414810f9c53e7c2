"""Every pair of formats: what `annarrow convert` makes of a file holds what the file holds, as the libraries read both.

anndata (and h5py, pyarrow) are those of this Python, or of ANNDATA_PYTHON; loompy is that of LOOMPY_PYTHON
(requirements-loom.txt), bpcells that of BPCELLS_PYTHON (requirements-bpcells.txt), mat73 and pymatreader those of
MATLAB_PYTHON (requirements-matlab.txt). What has no Python is left out, unless
CONVERSIONS=required. SHARED is a folder with more files, in corpus/. Each library writes what it reads as plain arrays
(dump_annotated.py), and these are compared, as far as the target has a place for them.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
CLI = ["node", str(ROOT / "dist/cli/main.js")]
DUMP = Path(__file__).with_name("dump_annotated.py")
FIXTURES = ROOT / "test/fixtures/data"
CORPUS = Path(os.environ.get("SHARED", ROOT.parent / "shared")) / "corpus"
PYTHONS = {
    "anndata": os.environ.get("ANNDATA_PYTHON", sys.executable),
    "loom": os.environ.get("LOOMPY_PYTHON"),
    "bpcells": os.environ.get("BPCELLS_PYTHON"),
    "mat": os.environ.get("MATLAB_PYTHON"),
}
REQUIRED = os.environ.get("CONVERSIONS") == "required"
if REQUIRED:
    assert all(PYTHONS.values()), f"CONVERSIONS=required, but without a Python: {PYTHONS}"


@dataclass(frozen=True)
class Target:
    kind: str
    name: str
    options: tuple[str, ...] = ()


TARGETS = {
    "h5ad": Target("anndata", "out.h5ad"),
    "zarr2": Target("anndata", "out.zarr", ("--zarr-format", "2")),
    "zarr3": Target("anndata", "out.zarr", ("--zarr-format", "3")),
    "loom": Target("loom", "out.loom"),
    "mat": Target("mat", "out.mat"),
    "bpcells": Target("bpcells", "out.bpcells"),
    "bpcells.h5": Target("bpcells", "out.bpcells.h5"),
    "parquet": Target("tables", "out", ("--to", "parquet")),
    "arrow": Target("tables", "out", ("--to", "arrow")),
}


@dataclass(frozen=True)
class Source:
    id: str
    kind: str
    path: Path
    modality: str | None = None

    @property
    def words(self) -> str:
        """The format whose words its tables have."""
        if self.kind != "tables":
            return self.kind
        return json.loads((self.path / "manifest.json").read_text())["format"]


def sources() -> list[Source]:
    found = [
        *(Source(name, "anndata", ROOT / "examples" / name) for name in ("pbmc.h5ad", "pbmc.zarr.zip")),
        Source("counts.h5ad", "anndata", FIXTURES / "annotated/counts.h5ad"),
        *(Source(f"{name}.loom", "loom", FIXTURES / f"loom/{name}.loom") for name in ("loompy", "bands")),
        *(Source(f"bpcells {name}", "bpcells", FIXTURES / "bpcells" / name) for name in ("packed", "packed-row", "unpacked-float", "one.h5")),
        *(Source(name, kind, CORPUS / name, modality) for kind, name, modality in REAL),
    ]
    return [source for source in found if source.path.exists()]


REAL = [
    *(("anndata", f"anndata/{name}", None) for name in (
        "anndataR_example_1044848.h5ad", "anndata_archive_v0.7.0.h5ad", "tiledbsoma_pbmc-small-x-csc.h5ad",
        "tiledbsoma_pbmc-small-x-dense.h5ad", "tiledbsoma_pbmc-small.h5ad", "scanpy_kbet-sim.h5ad",
        "BPCells_mini_mat_int_64.anndata-v0.12.6.h5ad", "cellxgene-schema_example_valid_head.h5ad",
        "vitessce_anndata-0.12_anndata-csc.zarr", "anndatajs_0.10_anndata-csr.zarr",
    )),
    *(("loom", f"loom/{name}.loom", None) for name in (
        "kb_python_genes", "loompy_test", "loompy_test_2018", "scopeloomr_example", "loompy_3.0.7/anndata_0.8",
        "loompy_3.0.7/grown", "loompy_3.0.7/layers_graphs", "loompy_3.0.7/scenic_like", "loompy_3.0.7/str2d",
    )),
    *(("bpcells", f"bpcells/real_r/matrix_dir/m217x90_{name}", None) for name in ("uint_packed_col", "double_unpacked_row")),
    ("10x", "anndata/10x_v3_filtered_feature_bc_matrix.h5", None),
    ("10x", "anndata/10x_tiledbsoma_visium_filtered_feature_bc_matrix.h5", None),
    *(("anndata", f"anndata/mudata_{name}", modality) for name, modality in (
        ("v0.3.10_mdata_axis0.h5mu", "mod1"), ("v0.2.4_mdata_axis1.h5mu", "mod2"),
    )),
]
"""Kind, place in the corpus, modality."""

AGAIN = {"counts.h5ad", "loompy.loom"}
"""What is made of these is converted to everything once more."""


TWICE = "they are added up"
"""Entries at one place, which MATLAB's sparse matrices have not, but graphs of Loom may."""


def is_there(kind: str) -> bool:
    return kind not in PYTHONS or PYTHONS[kind] is not None


class Walk:
    """All conversions, then all dumps: one process for each library."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.failed: dict[tuple[str, str], str] = {}
        self.warned: dict[tuple[str, str], str] = {}
        self.tasks: dict[str, list[dict]] = {}
        self.problems: dict[str, str | None] = {}
        self.sources: list[Source] = []
        first = [source for source in sources() if is_there(source.kind)]
        self.convert(first)
        again = [
            Source(f"{source.id} as {name}", target.kind, self.output(source, name))
            for source in first
            if source.id in AGAIN
            for name, target in TARGETS.items()
            if is_there(target.kind) and (source.id, name) not in self.failed
        ]
        self.convert(again)
        self.dump()

    def output(self, source: Source, target: str) -> Path:
        return self.folder / source.id.replace("/", "_").replace(" ", "_") / target / TARGETS[target].name

    def arrays(self, source: Source, target: str = "source") -> Path:
        return self.folder / source.id.replace("/", "_").replace(" ", "_") / f"{target}.npz"

    def convert(self, group: list[Source]) -> None:
        """Sources first: what is in them says how BPCells is to store it, so that its package can read it."""
        self.sources += group
        for source in group:
            modality = {} if source.modality is None else {"modality": source.modality}
            self.task(source.kind, source.path, self.arrays(source), **modality)
        self.dump()
        known = [source for source in group if self.problems[str(self.arrays(source))] is None]
        pairs = [(source, name) for source in known for name, target in TARGETS.items() if is_there(target.kind)]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda pair: self.one(*pair), pairs))
        for source, name in pairs:
            if (source.id, name) not in self.failed:
                kind = TARGETS[name].kind
                made = {"validate": True} if kind == "loom" and source.words != "loom" else {}
                self.task(kind, self.output(source, name), self.arrays(source, name), **made)

    def bpcells_form(self, source: Source) -> list[str]:
        values = self.read(self.arrays(source)).get("X/value", np.zeros(0))
        whole = values.dtype.kind in "iu" or bool(np.all(values == np.floor(values)))
        return ["--type", "uint"] if whole and np.all((values >= 0) & (values < 2**32)) else ["--unpacked"]

    def one(self, source: Source, name: str) -> None:
        target, output = TARGETS[name], self.output(source, name)
        output.parent.mkdir(parents=True)
        path = [] if source.modality is None else ["--path", f"mod/{source.modality}"]
        lossy = [] if target.kind == "tables" else ["--lossy"]
        form = self.bpcells_form(source) if target.kind == "bpcells" else []
        command = [*CLI, "convert", source.path, output, *target.options, *path, *lossy, *form]
        run = subprocess.run([str(one) for one in command], capture_output=True, text=True, timeout=120)
        self.warned[source.id, name] = run.stderr
        if run.returncode:
            self.failed[source.id, name] = run.stderr.strip()

    def task(self, kind: str, path: Path, out: Path, **more) -> None:
        out.parent.mkdir(parents=True, exist_ok=True)
        python = kind if kind in PYTHONS else "anndata"
        self.tasks.setdefault(python, []).append({"kind": kind, "path": str(path), "out": str(out), **more})

    def dump(self) -> None:
        tasks_of, self.tasks = self.tasks, {}
        for python, tasks in tasks_of.items():
            listing = self.folder / f"{python}.json"
            listing.write_text(json.dumps(tasks))
            run = subprocess.run([PYTHONS[python], str(DUMP), str(listing)], capture_output=True, text=True, timeout=600)
            assert run.returncode == 0, run.stderr
            for task, problem in zip(tasks, json.loads(run.stdout.splitlines()[-1])):
                self.problems[task["out"]] = problem

    def read(self, path: Path) -> dict[str, np.ndarray]:
        assert self.problems[str(path)] is None, self.problems[str(path)]
        with np.load(path) as stored:
            return {name: stored[f"a{i}"] for i, name in enumerate(json.loads(str(stored["names"])))}


def held(arrays: dict[str, np.ndarray], source: Source, target: str) -> dict[str, np.ndarray]:
    """What the target has a place for."""
    kind = TARGETS[target].kind
    if kind == "tables" or kind == source.words:
        return arrays
    if kind == "mat":
        # Texts of several dimensions are the buffers of an array of lists.
        return {name: array for name, array in arrays.items() if not (array.dtype.kind == "U" and array.ndim > 1)}
    if kind == "bpcells":
        return {name: array for name, array in arrays.items() if name in ("shape", "cells", "genes") or name.startswith("X/")}
    if kind == "anndata":
        cells, genes = arrays["shape"]
        return {"cells": np.arange(cells).astype(str), "genes": np.arange(genes).astype(str), **arrays}
    missing = {name.rstrip("?") for name in arrays if name.endswith("?")}
    return {
        name: array.astype(np.int8) if array.dtype == bool else array
        for name, array in arrays.items()
        if not ("~" in name or "#" in name or name.endswith("?") or name in missing)
    }


def added_up(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """One entry for each place."""
    made = dict(arrays)
    for name in arrays:
        if not name.endswith("/row"):
            continue
        rows, cols, values = (f"{name[:-4]}/{part}" for part in ("row", "col", "value"))
        places, which = np.unique(np.stack([arrays[rows], arrays[cols]]), axis=1, return_inverse=True)
        sums = np.zeros(places.shape[1], arrays[values].dtype)
        np.add.at(sums, which.ravel(), arrays[values])
        made |= {rows: places[0][sums != 0], cols: places[1][sums != 0], values: sums[sums != 0]}
    return made


def same(found: np.ndarray, wanted: np.ndarray, name: str) -> None:
    assert found.shape == wanted.shape, name
    text = wanted.dtype.kind in "US"
    assert text == (found.dtype.kind in "US"), f"{name}: {found.dtype}, expected {wanted.dtype}"
    equal = found == wanted if text else (found == wanted) | ((found != found) & (wanted != wanted))
    wrong = np.flatnonzero(~equal)
    assert wrong.size == 0, f"{name}: {found.ravel()[wrong[0]]!r} at {wrong[0]}, expected {wanted.ravel()[wrong[0]]!r}"


@pytest.fixture(scope="session")
def walk(tmp_path_factory) -> Walk:
    return Walk(tmp_path_factory.mktemp("conversions"))


def pairs() -> list[tuple[str, str]]:
    first = [source for source in sources() if is_there(source.kind)]
    names = [name for name, target in TARGETS.items() if is_there(target.kind)]
    again = [f"{source.id} as {name}" for source in first if source.id in AGAIN for name in names]
    return [(source, name) for source in [*(source.id for source in first), *again] for name in names]


@pytest.mark.parametrize(("source", "target"), pairs(), ids=lambda one: str(one))
def test_pair(walk: Walk, source: str, target: str) -> None:
    one = next((one for one in walk.sources if one.id == source), None)
    assert one is not None, walk.failed.get(tuple(source.split(" as ")), "not converted")
    wanted = walk.read(walk.arrays(one))
    assert (source, target) not in walk.failed, walk.failed[source, target]
    wanted = held(wanted, one, target)
    if TWICE in walk.warned[source, target]:
        assert TARGETS[target].kind == "mat"
        wanted = added_up(wanted)
    found = walk.read(walk.arrays(one, target))
    for name, array in wanted.items():
        assert name in found, f"{name} is not there, but {sorted(found)}; {walk.warned[source, target]}"
        same(found[name], array, name)
        # MATLAB's sparse matrices are doubles.
        if name == "X/value" and TARGETS[target].kind not in ("bpcells", "mat") and one.kind != "mat" and array.size:
            assert found[name].dtype == array.dtype
    # Missing values stand for themselves in no Loom.
    others = {name for name in found if name.rstrip("?") not in {one.rstrip("?") for one in wanted} and "uns/" not in name}
    if TARGETS[target].kind == "loom":
        others -= {name.rstrip("?") for name in walk.read(walk.arrays(one))}
    assert not others


@pytest.mark.parametrize("matrix", ["X", "layers/dense", "layers/csc", "raw/X"])
def test_a_dense_matrix_as_csv_is_what_pandas_writes(tmp_path: Path, matrix: str) -> None:
    """As `to_df().to_csv()`: the names of cells and genes, in every storage of a matrix."""
    anndata = pytest.importorskip("anndata")
    pd = pytest.importorskip("pandas")
    sp = pytest.importorskip("scipy.sparse")
    values = np.random.default_rng(3).poisson(0.7, (7, 5)).astype("float32")
    data = anndata.AnnData(
        sp.csr_matrix(values),
        obs=pd.DataFrame(index=pd.Index([f"cell {i}" for i in range(7)], name="barcode")),
        var=pd.DataFrame(index=[f'gene "{i}",x' for i in range(5)]),
        layers={"dense": values * 2, "csc": sp.csc_matrix(values + 1)},
    )
    data.raw = data.copy()
    data.write_h5ad(tmp_path / "in.h5ad")
    out = tmp_path / "out.csv"
    args = ["convert", str(tmp_path / "in.h5ad"), str(out), "--table", matrix, "--layout", "dense"]
    subprocess.run([*CLI, *args], check=True)
    layer = matrix.removeprefix("layers/")
    wanted = data.raw.to_adata().to_df() if matrix == "raw/X" else data.to_df(None if matrix == "X" else layer)
    pd.testing.assert_frame_equal(pd.read_csv(out, index_col=0), wanted, check_dtype=False)
