"""Files as loompy writes them, of random shapes, types and names; the seed decides all of it."""

from dataclasses import dataclass, field
from pathlib import Path

import loompy
import numpy as np
import scipy.sparse as sp

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS = ["f2", "f4", "f8"]
WORDS = ["", "a", "T cell", "50%", "x" * 200, "with, comma", 'a "quoted" one', "NaN", "tab\there", "'", "#1"]
UNICODE = ["naïve", "日本語", "😀 astral", "µ"]


@dataclass
class Given:
    """What a file was made of: loompy itself loses what is not ASCII."""

    layers: dict[str, np.ndarray]
    rows: dict[str, np.ndarray]
    cols: dict[str, np.ndarray]
    row_graphs: dict[str, sp.coo_matrix] = field(default_factory=dict)
    col_graphs: dict[str, sp.coo_matrix] = field(default_factory=dict)
    globals: dict[str, object] = field(default_factory=dict)


def numbers(rng: np.random.Generator, shape, dtype: str, finite: bool = False) -> np.ndarray:
    kind = np.dtype(dtype)
    if kind.kind == "f":
        values = (rng.standard_normal(shape) * 100).astype(kind)
        odd = np.array([0, -0.0, np.finfo(kind).max, *([] if finite else [np.nan, np.inf])], kind)
        return np.where(rng.random(shape) < 0.1, rng.choice(odd, shape), values).astype(kind)
    limits = np.iinfo(kind)
    return rng.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)


def matrix(rng, shape, dtype: str, density: float) -> np.ndarray:
    values = numbers(rng, shape, dtype, finite=True)
    values[rng.random(shape) >= density] = 0
    return values


def texts(rng, count: int, unicode: bool) -> np.ndarray:
    return np.array(rng.choice(WORDS + (UNICODE if unicode else []), count), object)


def attributes(rng, count: int, names: str, unicode: bool) -> dict[str, np.ndarray]:
    found = {names: np.array([f"{names}_{i}" for i in range(count)], object)}
    for i in range(rng.integers(0, 6)):
        kind = rng.choice(["integers", "floats", "bools", "texts", "matrix"])
        name = f"{rng.choice(['a', 'Total UMI', 'é', '_X', 'p.value'])}{i}"
        if kind == "integers":
            found[name] = numbers(rng, count, rng.choice(INTEGERS))
        elif kind == "floats":
            found[name] = numbers(rng, count, rng.choice(FLOATS))
        elif kind == "bools":
            found[name] = rng.random(count) < 0.5
        elif kind == "texts":
            found[name] = texts(rng, count, unicode)
        else:
            found[name] = numbers(rng, (count, int(rng.integers(2, 7))), rng.choice(FLOATS + INTEGERS))
    return found


def graphs(rng, count: int) -> dict[str, sp.coo_matrix]:
    found = {}
    for i in range(rng.integers(0, 3)):
        edges = int(rng.integers(0, 3 * count))
        ends = [rng.integers(0, count, edges) for _ in "ab"]
        found[f"KNN {i}%"] = sp.coo_matrix((numbers(rng, edges, rng.choice(["f4", "f8"])), ends), (count, count))
    return found


def given(seed: int) -> Given:
    rng = np.random.default_rng(seed)
    rows, cols = (int(rng.choice([1, 2, 17, 63, 64, 65, 150, 300])) for _ in "ab")
    types = [str(one) for one in rng.choice(INTEGERS + FLOATS, 1 + rng.integers(0, 3))]
    density = rng.choice([0.02, 0.3, 1])
    layers = {f"layer {i}?" if i else "": matrix(rng, (rows, cols), dtype, density) for i, dtype in enumerate(types)}
    unicode = bool(rng.random() < 0.5)
    return Given(
        layers,
        attributes(rng, rows, "Gene", unicode),
        attributes(rng, cols, "CellID", unicode),
        graphs(rng, rows),
        graphs(rng, cols),
        {"title": str(rng.choice(WORDS + UNICODE)), "year": int(rng.integers(1990, 2030)), "scale": float(rng.random()),
         "weights": rng.random(5), "counts": rng.integers(0, 9, (2, 3))},
    )


def made(path: Path, source: Given) -> Path:
    loompy.create(str(path), source.layers, source.rows, source.cols, file_attrs={"title": source.globals["title"]})
    with loompy.connect(str(path), "r+") as ds:
        for name, graph in source.row_graphs.items():
            ds.row_graphs[name] = graph
        for name, graph in source.col_graphs.items():
            ds.col_graphs[name] = graph
        for name, value in source.globals.items():
            ds.attrs[name] = value
    return path
