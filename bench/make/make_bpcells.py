#!/usr/bin/env python3
# /// script
# requires-python = "==3.12.*"
# dependencies = ["anndata==0.13.4", "bpcells==0.3.0rc2", "h5py==3.16.0", "numpy==2.5.5", "pandas==3.1.1", "pyarrow==26.0.1", "scipy==1.18.1"]
# ///
"""Makes what the benchmarks of BPCells read, unless it is there already: make_bpcells.py FOLDER [--fragments 10000000]

FOLDER has matrix.raw.h5ad of make_stores.py; its directory `bpcells` gets

matrix                    X of it, one column a cell, packed, written by the bpcells package
csc/*.bin                 the same as little-endian arrays: value and index uint32, pointers int64, shape uint32
fragments.tsv.gz          fragments of 20,000 cells on 24 chromosomes, drawn at random, sorted, as 10x has them
fragments                 the same, packed, by the bpcells package
fragments.bin/*.bin       the same as arrays: chr and cell_id int32, start and end uint32
"""

import argparse
import gzip
import shutil
from pathlib import Path

import anndata as ad
import bpcells.experimental as bp
import h5py
import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

SEED = 128
CHROMOSOMES = [f"chr{name}" for name in (*range(1, 23), "X", "Y")]
CELLS = 20_000
LENGTH = 200_000_000


def matrix(folder: Path):
    x = ad.io.read_elem(h5py.File(folder.parent / "matrix.raw.h5ad")["X"])
    counts = x.data.astype(np.uint32)
    if not np.array_equal(counts, x.data):
        raise SystemExit("matrix.raw.h5ad holds values that are no counts")
    x.data = counts
    return x.T  # genes x cells, one column a cell, without a copy


def write_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    path.mkdir()
    for name, values in arrays.items():
        values.tofile(path / f"{name}.bin")


def write_csc(path: Path, x) -> None:
    kinds = {"value": (x.data, "<u4"), "index": (x.indices, "<u4"), "pointers": (x.indptr, "<i8"), "shape": (x.shape, "<u4")}
    write_arrays(path, {name: np.asarray(values).astype(kind) for name, (values, kind) in kinds.items()})


def fragments(count: int) -> dict[str, np.ndarray]:
    """By chromosome and start; most are shorter than a nucleosome, as in real experiments."""
    rng = np.random.default_rng(SEED)
    share = np.linspace(2.5, 0.5, len(CHROMOSOMES))
    chr = np.sort(rng.choice(len(CHROMOSOMES), count, p=share / share.sum())).astype("<i4")
    start = rng.integers(0, LENGTH, count).astype("<u4")
    start = start[np.lexsort((start, chr))]
    length = np.clip(rng.gamma(2.0, 90.0, count), 20, 2000).astype("<u4")
    cell = rng.choice(CELLS, count, p=(weight := rng.lognormal(0, 0.7, CELLS)) / weight.sum()).astype("<i4")
    return {"chr": chr, "start": start, "end": start + length, "cell_id": cell}


def cell_names() -> list[str]:
    """Like barcodes: 16 letters."""
    rng = np.random.default_rng(SEED + 1)
    return ["".join(letters) + "-1" for letters in np.array(list("ACGT"))[rng.integers(0, 4, (CELLS, 16))]]


def write_text(path: Path, found: dict[str, np.ndarray]) -> None:
    """The fifth column is how many reads each stands for."""
    text = lambda ids, names: pa.DictionaryArray.from_arrays(pa.array(ids), pa.array(names)).cast(pa.string())
    options = csv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none")
    names = cell_names()
    with gzip.open(path, "wb", compresslevel=1) as file:
        for at in range(0, len(found["start"]), 1 << 20):
            part = {name: values[at : at + (1 << 20)] for name, values in found.items()}
            columns = [text(part["chr"], CHROMOSOMES), part["start"], part["end"], text(part["cell_id"], names)]
            reads = np.minimum(part["end"] % 7 + 1, 4)
            csv.write_csv(pa.table([*columns, reads], ["chr", "start", "end", "cell", "reads"]), file, options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fragments", type=int, default=10_000_000)
    args = parser.parse_args()
    folder = args.folder / "bpcells"
    folder.mkdir(exist_ok=True)
    drawn: list[dict] = []

    def found() -> dict[str, np.ndarray]:
        if not drawn:
            drawn.append(fragments(args.fragments))
        return drawn[0]

    writers = {
        "csc": lambda path: write_csc(path, matrix(folder)),
        "matrix": lambda path: bp.DirMatrix.from_scipy_sparse(matrix(folder), str(path)),
        "fragments.bin": lambda path: write_arrays(path, found()),
        "fragments.tsv.gz": lambda path: write_text(path, found()),
        "fragments": lambda path: bp.import_10x_fragments(str(folder / "fragments.tsv.gz"), str(path)),
    }
    for name, write in writers.items():
        if (folder / name).exists():
            continue
        part = folder / f"unfinished.{name}"
        shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)
        write(part)
        part.rename(folder / name)
        print(folder / name)


if __name__ == "__main__":
    main()
