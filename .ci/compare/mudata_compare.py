"""Has anndata_oracle compare MuData files: they are trees of elements as AnnData is, and mudata must read both alike."""

import re
import zipfile
from pathlib import Path


def is_mudata(path: Path) -> bool:
    if path.is_dir():
        return (path / "mod").is_dir()
    if path.suffix != ".zip":
        return path.suffix == ".h5mu"
    with zipfile.ZipFile(path) as archive:
        return any(re.match(r"([^/]+/)?mod/", name) for name in archive.namelist())


def prepare(oracle) -> None:
    """The root's own tag is compared here; the oracle knows that of AnnData alone."""
    spec, signature = oracle.spec, oracle.signature

    def spec_of(node):
        encoding, version = spec(node)
        return ("anndata" if encoding == "MuData" else encoding, version)

    def signature_of(store):
        found = signature(store)
        if found[""].get("encoding-type") == "MuData":
            found[""]["encoding-type"] = "anndata"
        return found

    # mudata gives the group of the modalities no tag.
    needs_tag = oracle.needs_tag
    oracle.needs_tag = lambda path, found: path != "mod" and needs_tag(path, found)
    oracle.spec, oracle.signature, oracle.compare_anndata = spec_of, signature_of, compare


def compare(a, b, problems: list[str]) -> None:
    import anndata
    import mudata
    import numpy as np

    def read(store):
        return mudata.read_h5mu(store.path) if store.container == "hdf5" else mudata.read_zarr(str(store.path))

    for store in (a, b):
        if store.root.attrs.get("encoding-type") != "MuData":
            problems.append(f"{store.path.name}: the root is no MuData by its attributes")
    try:
        x = read(a)
    except Exception as error:
        return print(f"note: mudata {mudata.__version__} itself cannot read A ({type(error).__name__}: {str(error)[:120]})")
    try:
        y = read(b)
        assert (x.axis, list(x.mod)) == (y.axis, list(y.mod)), f"axis {x.axis}, {list(x.mod)}; {y.axis}, {list(y.mod)}"
        parts = [("", x, y)] + [(f"mod/{name}: ", x.mod[name], y.mod[name]) for name in x.mod]
        for where, one, other in parts:
            for name in ("shape", "obs_names", "var_names"):
                assert np.array_equal(getattr(one, name), getattr(other, name)), f"{where}{name}"
            for name in ("obs", "var"):
                frames = getattr(one, name), getattr(other, name)
                assert list(frames[0]) == list(frames[1]), f"{where}columns of {name}"
                assert all(frames[0][column].equals(frames[1][column]) for column in frames[0]), f"{where}{name}"
        for name in ("obsmap", "varmap"):
            for modality in x.mod:
                assert np.array_equal(getattr(x, name)[modality], getattr(y, name)[modality]), f"{name}/{modality}"
    except Exception as error:
        problems.append(f"mudata, anndata {anndata.__version__}: {type(error).__name__}: {' '.join(str(error).split())[:300]}")
