"""The bpcells package reads the packed directories that we write from Arrow tables, and we read those that it writes.

The package has wheels for CPython 3.12 alone; with BPCELLS=required it must be there.
"""

import importlib.util
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
import pytest
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "test/interop/make_written_bpcells.mjs"

if importlib.util.find_spec("bpcells") is None:
    here = f"CPython {platform.python_version()}, {platform.system()} {platform.machine()}"
    assert os.environ.get("BPCELLS") != "required", f"BPCELLS=required, but {here} has no bpcells"
    wheel = sys.version_info[:2] == (3, 12)
    reason = "is not installed" if wheel else "has wheels for CPython 3.12 alone"
    pytest.skip(f"the bpcells package {reason}; this is {here}", allow_module_level=True)

import bpcells.cpp
import bpcells.experimental as bp

SHAPES = {
    "usual": (300, 200, 5000),
    "one_column": (5000, 1, 700),
    "one_row": (1, 5000, 700),
    "chunk": (40, 40, 128),
    "chunk_and_one": (40, 40, 129),
    "one_value": (3, 4, 1),
    "many": (2000, 1500, 90_000),
}
ORDERS = ("column", "row")
NAMES = [f"{shape}.{order}" for shape in SHAPES for order in ORDERS]


def node(*args) -> None:
    run = subprocess.run(["node", str(SCRIPT), *map(str, args)], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr


def matrix(shape: str) -> sp.coo_matrix:
    """With every width of values and of differences between positions that fits."""
    rows, cols, count = SHAPES[shape]
    rng = np.random.default_rng(sum(map(ord, shape)))
    places = np.sort(rng.choice(rows * cols, count, replace=False))
    widths = rng.integers(1, 33, count, dtype=np.uint64)
    values = rng.integers(1, 2**widths, dtype=np.uint64) if count > 1 else [2**32 - 1]
    return sp.coo_matrix((np.array(values, np.uint32), (places // cols, places % cols)), (rows, cols))


def sorted_entries(found: sp.spmatrix) -> list[np.ndarray]:
    coo = found.tocoo()
    order = np.lexsort((coo.row, coo.col))
    return [coo.row[order], coo.col[order], coo.data[order]]


def same(found: sp.spmatrix, wanted: sp.spmatrix) -> None:
    assert found.shape == wanted.shape
    for a, b in zip(sorted_entries(found), sorted_entries(wanted)):
        np.testing.assert_array_equal(a, b)


def fragments(count: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(count)
    chr = np.sort(rng.integers(0, 3, count))
    start = rng.integers(0, 100_000, count)
    order = np.lexsort((start, chr))
    chr, start = chr[order], start[order]
    return {"chr": chr, "start": start, "end": start + rng.integers(1, 700, count), "cell_id": rng.integers(0, 7, count)}


CHRS = ["chr1", "chr2", "chrX"]
CELLS = [f"CELL{i}-1" for i in range(7)]


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """What we write of every matrix, in both orders, and of fragments."""
    folder = tmp_path_factory.mktemp("bpcells")
    tables, out = folder / "tables", folder / "stores"
    tables.mkdir(), out.mkdir()
    for name in NAMES:
        shape, order = name.split(".")
        x = matrix(shape)
        by = np.lexsort((x.row, x.col) if order == "column" else (x.col, x.row))
        columns = {"row": x.row[by].astype(np.int32), "col": x.col[by].astype(np.int32), "value": x.data[by]}
        kind = "csc_matrix" if order == "column" else "csr_matrix"
        metadata = json.dumps({"kind": kind, "shape": x.shape, "order": order})
        save(tables / f"{name}.arrow", pa.table(columns).replace_schema_metadata({"annarrow": metadata}))
    for count in (1, 128, 1000):
        found = fragments(count)
        coded = {
            "chr": pa.DictionaryArray.from_arrays(pa.array(found["chr"], pa.int32()), CHRS),
            "start": pa.array(found["start"], pa.uint32()),
            "end": pa.array(found["end"], pa.uint32()),
            "cell_id": pa.DictionaryArray.from_arrays(pa.array(found["cell_id"], pa.int32()), CELLS),
        }
        save(tables / f"{count}.fragments.arrow", pa.table(coded))
    node("write", tables, out)
    return out


def save(path: Path, table: pa.Table) -> None:
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize("name", NAMES)
def test_package_reads_ours(written, name):
    shape, order = name.split(".")
    store = bp.DirMatrix(str(written / name))
    assert store.dtype == np.uint32
    wanted = matrix(shape)
    everything = list(range(wanted.shape[0 if order == "row" else 1]))
    same(store[everything, :] if order == "row" else store[:, everything], wanted)


@pytest.mark.parametrize("name", [f"usual.{order}" for order in ORDERS])
def test_package_reads_parts_of_ours(written, name):
    store, wanted = bp.DirMatrix(str(written / name)), matrix("usual").tocsr()
    same(store[:, [7, 150, 3]], wanted[:, [7, 150, 3]])
    same(store[[299, 0], :], wanted[[299, 0], :])


@pytest.mark.parametrize("count", [1, 128, 1000])
def test_package_reads_our_fragments(written, count):
    path, wanted = str(written / f"{count}.fragments"), fragments(count)
    assert bpcells.cpp.chr_names_fragments_dir(path) == CHRS
    assert bpcells.cpp.cell_names_fragments_dir(path) == CELLS
    groups, size = np.arange(len(CELLS), dtype=np.int32), 200_000
    chrs, zeros = np.array(CHRS, object), np.zeros(len(CHRS), np.int64)
    got = bpcells.cpp.pseudobulk_coverage(path, chrs, zeros, zeros + size, groups, size).reshape(-1, len(CHRS))
    expected = np.zeros((len(CELLS), len(CHRS)), int)
    np.add.at(expected, (wanted["cell_id"], wanted["chr"]), 2)  # both ends count
    np.testing.assert_array_equal(got, expected[: len(got)])
    assert not expected[len(got) :].any()


def test_package_counts_the_fragments_of_chosen_cells(written, tmp_path):
    chosen = [5, 0, 3]
    names = tmp_path / "names.txt"
    names.write_text("".join(f"{CELLS[cell]}\n" for cell in chosen))
    whole, part = written / "1000.fragments", tmp_path / "part"
    cli = [*("node", ROOT / "dist/cli/main.js", "convert", whole, part), *("--to", "bpcells", "--obs-names", names)]
    subprocess.run(cli, check=True, timeout=60)
    assert bpcells.cpp.cell_names_fragments_dir(str(part)) == [CELLS[cell] for cell in chosen]
    assert bpcells.cpp.chr_names_fragments_dir(str(part)) == CHRS
    np.testing.assert_array_equal(coverage(part, len(chosen)), coverage(whole, len(CELLS))[chosen])


def coverage(store: Path, cells: int) -> np.ndarray:
    """Both ends of the fragments of each cell, counted in bins of 10,000 bases."""
    chrs, size = np.array(CHRS, object), 200_000
    zeros, groups = np.zeros(len(CHRS), np.int64), np.arange(cells, dtype=np.int32)
    return bpcells.cpp.pseudobulk_coverage(str(store), chrs, zeros, zeros + size, groups, 10_000).reshape(cells, -1)


def tables(store: Path, out: Path) -> dict[str, pa.Table]:
    node("read", store, out)
    return {path.stem: ipc.open_file(path).read_all() for path in out.glob("*.arrow")}


@pytest.mark.parametrize("name", NAMES)
def test_we_read_the_package(tmp_path, name):
    shape, order = name.split(".")
    wanted = matrix(shape)
    bp.DirMatrix.from_scipy_sparse(wanted.tocsr() if order == "row" else wanted.tocsc(), str(tmp_path / "store"))
    found = tables(tmp_path / "store", tmp_path / "out")["matrix"]
    about = json.loads(found.schema.metadata[b"annarrow"])
    assert (about["shape"], about["order"]) == (list(wanted.shape), order)
    row, col, value = (found[name].to_numpy() for name in ("row", "col", "value"))
    assert value.dtype == np.uint32
    same(sp.coo_matrix((value, (row, col)), wanted.shape), wanted)


def test_we_read_fragments_of_the_package(tmp_path):
    wanted = fragments(1000)
    lines = (f"{CHRS[c]}\t{s}\t{e}\t{CELLS[n]}\t1\n" for c, s, e, n in zip(*(v.tolist() for v in wanted.values())))
    (tmp_path / "fragments.tsv").write_text("".join(lines))
    bp.import_10x_fragments(str(tmp_path / "fragments.tsv"), str(tmp_path / "store"))
    found = tables(tmp_path / "store", tmp_path / "out")["fragments"]
    assert found["chr"].to_pylist() == [CHRS[i] for i in wanted["chr"]]
    for name in ("start", "end"):
        np.testing.assert_array_equal(found[name].to_numpy(), wanted[name])
    assert found["cell_id"].to_pylist() == [CELLS[i] for i in wanted["cell_id"]]


@pytest.mark.parametrize("name", ["usual.column", "usual.row", "many.column"])
def test_the_same_bytes_as_the_package(written, tmp_path, name):
    shape, order = name.split(".")
    wanted = matrix(shape)
    theirs = tmp_path / "store"
    bp.DirMatrix.from_scipy_sparse(wanted.tocsr() if order == "row" else wanted.tocsc(), str(theirs))
    ours = written / name
    assert {path.name for path in ours.iterdir()} == {path.name for path in theirs.iterdir()}
    for path in theirs.iterdir():
        assert (ours / path.name).read_bytes() == path.read_bytes(), path.name
