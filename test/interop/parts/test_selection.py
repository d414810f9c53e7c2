"""Parts of AnnData and MuData: what `select` chooses and `write` writes is what anndata and mudata make of the same positions.

make_parts.mjs writes all parts in one process. SHARED is a folder with more files, in corpus/. Equal are values, names,
categories in their order, formats of sparse matrices and types of numbers, but not their byte order. Pandas has several
types of text, and anndata reads other ones from Zarr than from HDF5, so text is compared by its values alone.
"""

import json
import os
import subprocess
import warnings
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

import anndata as ad
import awkward as ak
import mudata as md
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "test/fixtures/data"
CORPUS = Path(os.environ.get("SHARED", ROOT.parent / "shared")) / "corpus/anndata"
MOST_BYTES = 8_000_000
CASES = 6
MADE = "made.h5ad"

warnings.filterwarnings("ignore")


@dataclass(frozen=True)
class Case:
    input: str
    output: str
    obs: list[int] | None
    var: list[int] | None
    dropUnused: bool = False


def sources() -> list[str]:
    files = [ROOT / "examples/pbmc.h5ad", FIXTURES / "annotated/counts.h5ad"]
    files += [FIXTURES / f"anndata/{name}.h5ad" for name in ("modern", "plain", "empty", "legacy_0_7")]
    files += [path for path in sorted(CORPUS.glob("*.h5ad")) if path.stat().st_size < MOST_BYTES]
    return [MADE, *map(str, files)]


def hard() -> ad.AnnData:
    """What parts get wrong most easily."""
    rng = np.random.default_rng(7)
    counts = sp.random(30, 12, density=0.3, format="csr", rng=rng, dtype=np.float32)
    obs = pd.DataFrame(index=[f"cell {i}" for i in range(30)])
    obs["kind"] = pd.Categorical(rng.choice(["z", "a"], 30), categories=["z", "none", "a"])
    obs["grade"] = pd.Categorical(rng.choice([3, 1], 30), categories=[3, 2, 1], ordered=True)
    obs["missing"] = pd.Categorical([None, "x"] * 15, categories=["y", "x"])
    obs["whole"] = pd.array([None, 2**62 + 1, -5] * 10, dtype="Int64")
    obs["maybe"] = pd.array([None, True, False] * 10, dtype="boolean")
    obs["yes"] = rng.random(30) < 0.5
    obs["float16"] = rng.random(30).astype("f2")
    obs["big"] = np.arange(30, dtype="u8") + 2**63
    obs["text"] = ["", "é", "long " * 9] * 10
    whole = ad.AnnData(sp.random(30, 15, density=0.3, format="csr", rng=rng), obs=obs[[]])
    adata = ad.AnnData(counts, obs=obs, var=pd.DataFrame(index=["twice", "twice", *(f"g{i}" for i in range(10))]))
    adata.raw = whole
    adata.var["sort"] = pd.Categorical(["u"] * 6 + ["v"] * 6, categories=["w", "v", "u"])
    adata.layers["csc"] = sp.csc_matrix(counts)
    adata.layers["int64"] = sp.csr_matrix((counts * 9).astype("i8"))
    adata.layers["bool"] = (counts > 0.5).astype(bool)
    adata.layers["dense"] = rng.random((30, 12)).astype("f2")
    adata.layers["csc of 64 bits"] = wide(sp.csc_matrix(counts))
    adata.obsm["flat"] = np.zeros((30, 0))
    adata.obsm["cube"] = rng.integers(0, 99, (30, 2, 3))
    adata.obsm["frame"] = obs[["kind", "whole", "text"]]
    adata.obsm["sparse"] = sp.random(30, 4, density=0.5, format="csc", rng=rng)
    adata.obsm["ragged"] = ak.Array([[{"x": i, "y": [None, str(i)]}] * (i % 3) for i in range(30)])
    # Columns of one name in obs and var share their colours.
    adata.var["kind"] = pd.Categorical(["p", "q", "r"] * 4)
    adata.var["missing"] = pd.Categorical(["p", "q", "r"] * 4)
    adata.varm["loadings"] = rng.random((12, 2))
    adata.obsp["near"] = sp.random(30, 30, density=0.2, format="csr", rng=rng)
    adata.obsp["far"] = rng.random((30, 30))
    adata.varp["near"] = sp.random(12, 12, density=0.2, format="csc", rng=rng)
    adata.uns["kind_colors"] = np.array(["#000000", "#111111", "#222222"])
    adata.uns["grade_colors"] = np.array(["#000000", "#111111"])
    adata.uns["missing_colors"] = np.array(["#000000", "#111111"])
    adata.uns["sort_colors"] = np.array(["#000000", "#111111", "#222222"])
    adata.uns["log"] = {"base": 2.0, "frame": obs[["kind"]].iloc[:3]}
    return adata


def wide(matrix):
    matrix.indices, matrix.indptr = matrix.indices.astype("i8"), matrix.indptr.astype("i8")
    return matrix


def positions(rng: np.random.Generator, size: int, kind: str) -> list[int] | None:
    if kind == "all":
        return None
    if kind == "none" or size == 0:
        return []
    if kind == "rising":
        return sorted(map(int, rng.choice(size, max(1, size // 3), replace=False)))
    if kind == "repeated":
        return list(map(int, rng.integers(0, size, max(1, size // 2))))
    return list(range(size))[::-1]


KINDS = [
    ("rising", "all"),
    ("repeated", "repeated"),
    ("reversed", "rising"),
    ("none", "reversed"),
    ("rising", "none"),
    ("all", "repeated"),
]
assert len(KINDS) == CASES


@pytest.fixture(scope="session")
def read() -> dict:
    """The sources that anndata reads."""
    return {}


@pytest.fixture(scope="session")
def parts(tmp_path_factory, read) -> dict[str, list[Case]]:
    folder = tmp_path_factory.mktemp("parts")
    made = folder / MADE
    hard().write_h5ad(made)
    cases: dict[str, list[Case]] = {}
    for number, source in enumerate(sources()):
        path = str(made) if source == MADE else source
        try:
            read[source] = ad.read_h5ad(path)
        except Exception as error:
            read[source] = error
            continue
        rng = np.random.default_rng(zlib.crc32(Path(path).name.encode()))
        sizes = read[source].shape
        cases[source] = [
            Case(path, str(folder / f"{number}-{i}.{('h5ad', 'zarr')[(number + i) % 2]}"), *chosen, dropUnused=i % 3 == 0)
            for i, kinds in enumerate(KINDS)
            for chosen in [[positions(rng, size, kind) for size, kind in zip(sizes, kinds)]]
        ]
    make([case for all in cases.values() for case in all], folder)
    return cases


def make(cases: list[Case], folder: Path) -> None:
    file = folder / "cases.json"
    file.write_text(json.dumps([asdict(case) for case in cases]))
    command = ["node", str(Path(__file__).with_name("make_parts.mjs")), str(file)]
    run = subprocess.run(command, capture_output=True, timeout=600, cwd=ROOT)
    assert run.returncode == 0, run.stderr.decode()
    errors = {case.output: error for case, error in zip(cases, json.loads(run.stdout)) if error is not None}
    assert errors == {}


@pytest.mark.parametrize("source", sources(), ids=lambda path: Path(path).name)
def test_parts_of_anndata(source, parts, read):
    whole = read[source] if source in read else None
    if isinstance(whole, Exception):
        pytest.skip(f"anndata cannot read it: {whole}")
    for case in parts[source]:
        ad.settings.remove_unused_categories = case.dropUnused
        rows, cols = (slice(None) if chosen is None else np.array(chosen, int) for chosen in (case.obs, case.var))
        expected = whole[rows, cols].copy()
        found = (ad.read_h5ad if case.output.endswith("h5ad") else ad.read_zarr)(case.output)
        same_anndata(found, expected, f"{case.obs and case.obs[:9]} {case.var and case.var[:9]} {Path(case.output).suffix}")


MUDATA = [str(FIXTURES / f"mudata/{name}.h5mu") for name in ("axis0", "axis1", "both", "legacy")]
MUDATA += sorted(map(str, CORPUS.glob("mudata_*.h5mu")))


@pytest.mark.parametrize("source", MUDATA, ids=lambda path: Path(path).name)
def test_parts_of_mudata(source, tmp_path):
    whole = md.read_h5mu(source)
    rng = np.random.default_rng(5)
    cases = [
        Case(source, str(tmp_path / f"{i}.h5mu"), *(positions(rng, size, kind) for size, kind in zip(whole.shape, kinds)))
        for i, kinds in enumerate([("rising", "all"), ("reversed", "all"), ("all", "rising"), ("rising", "rising")])
    ]
    make(cases, tmp_path)
    ad.settings.remove_unused_categories = False
    for case in cases:
        rows, cols = (slice(None) if chosen is None else np.array(chosen, int) for chosen in (case.obs, case.var))
        expected = whole[rows, cols].copy()
        found = md.read_h5mu(case.output)
        where = f"{case.obs and case.obs[:9]} {case.var and case.var[:9]}"
        assert list(found.mod) == list(expected.mod), where
        for name in expected.mod:
            same_anndata(found.mod[name], expected.mod[name], f"{where} {name}")
        for element in ("obs", "var", "obsm", "varm", "obsp", "varp", "obsmap", "varmap", "uns"):
            same(getattr(found, element), getattr(expected, element), f"{where} {element}")


def same_anndata(found: ad.AnnData, expected: ad.AnnData, where: str) -> None:
    assert found.shape == expected.shape, where
    for element in ("X", "layers", "obs", "var", "obsm", "varm", "obsp", "varp", "uns"):
        same(getattr(found, element), getattr(expected, element), f"{where} {element}")
    if expected.n_obs == 0 and where.endswith(".zarr"):
        return  # anndata does not read raw from a Zarr store without observations, its own neither
    assert (found.raw is None) == (expected.raw is None), where
    if expected.raw is not None:
        for element in ("X", "var", "varm"):
            same(getattr(found.raw, element), getattr(expected.raw, element), f"{where} raw/{element}")


def same(found, expected, where: str) -> None:
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(plain_text(found), plain_text(expected), check_exact=True, obj=where)
    elif isinstance(expected, pd.Series | pd.Categorical) or hasattr(expected, "dtype") and isinstance(expected, pd.api.extensions.ExtensionArray):
        same(pd.DataFrame({"": pd.Series(found)}), pd.DataFrame({"": pd.Series(expected)}), where)
    elif isinstance(expected, ad.AnnData):
        same_anndata(found, expected, where)
    elif isinstance(expected, ak.Array):
        assert ak.to_list(found) == ak.to_list(expected), where
    elif sp.issparse(expected):
        # The widths of indices are scipy's choice; the part keeps the stored ones.
        assert (found.format, found.dtype, found.shape) == (expected.format, expected.dtype, expected.shape), where
        np.testing.assert_array_equal(found.toarray(), expected.toarray(), err_msg=where)
    elif hasattr(expected, "items"):
        assert set(found) == set(expected), where
        for name, value in expected.items():
            same(found[name], value, f"{where}/{name}")
    elif isinstance(expected, np.ndarray):
        assert isinstance(found, np.ndarray) and found.shape == expected.shape, where
        if expected.dtype.names is not None:
            assert found.dtype.names == expected.dtype.names, where
            for name in expected.dtype.names:
                same(found[name], expected[name], f"{where}/{name}")
        elif expected.dtype.kind in "OUST":
            assert found.astype(object).tolist() == expected.astype(object).tolist(), where
        else:
            assert found.dtype.newbyteorder("=") == expected.dtype.newbyteorder("="), where
            np.testing.assert_array_equal(found, expected, err_msg=where)
    else:
        # A view has scalars of NumPy where a file that is read has Python's.
        found, expected = (value.item() if isinstance(value, np.generic) else value for value in (found, expected))
        assert type(found) is type(expected), where
        np.testing.assert_equal(found, expected, err_msg=where)


def plain_text(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with text as objects, and None where it is missing."""
    columns = {name: text_column(frame[name]) for name in frame.columns}
    index = pd.Index(frame.index.astype(object), name=frame.index.name)
    plain = pd.DataFrame(columns, index=frame.index, columns=pd.Index(list(frame.columns), dtype=object))
    plain.index = index
    return plain


def text_column(column: pd.Series) -> pd.Series:
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories = column.cat.categories
        is_text = categories.dtype == object or isinstance(categories.dtype, pd.StringDtype)
        return column.cat.rename_categories(categories.astype(object)) if is_text else column
    if column.dtype != object and not isinstance(column.dtype, pd.StringDtype):
        return column
    return pd.Series([None if pd.isna(value) else value for value in column], index=column.index, dtype=object)
