"""What hdf5storage writes of Python's types, as we read it and write it again: the same Python objects come back."""

from matlab_here import annarrow, tables  # isort: skip  (skips where there is no hdf5storage)

import collections

import h5py
import hdf5storage
import numpy as np
import pytest
from matlab_values import CLASSES, identical, numbers

OPTIONS = {
    "matlab": dict(matlab_compatible=True),
    "column": dict(matlab_compatible=True, oned_as="column"),
    "compressed": dict(matlab_compatible=True, compress_size_threshold=0),
    "python": dict(matlab_compatible=False),
    "structs": dict(matlab_compatible=False, structured_numpy_ndarray_as_struct=True),
}
VERSION = tuple(int(part) for part in hdf5storage.__version__.split(".")[:2])


def python_values(seed: int) -> dict:
    rng = np.random.default_rng(seed)
    values = {f"a_{kind.replace('?', 'bool')}": numbers(rng, tuple(rng.integers(1, 6, rng.integers(1, 4))), kind) for kind in CLASSES.values()}
    values |= {f"s_{kind.replace('?', 'bool')}": numbers(rng, (1,), kind)[0] for kind in CLASSES.values()}
    values |= {"c16": numbers(rng, (2, 3), "c16"), "c8": numbers(rng, 4, "c8"), "empty": np.zeros(0), "e30": np.zeros((3, 0), "i2")}
    values |= {"bool": True, "int": -(2**40), "float": -0.0, "complex": 1 - 2j, "none": None, "zero_d": np.array(5, "u2")}
    values |= {"str": "naïve 日本", "astral": "a😀", "no_str": "", "bytes": b"abc", "bytearray": bytearray(b"xyz"), "no_bytes": b""}
    values |= {"np_str": np.str_("ab"), "np_bytes": np.bytes_(b"cd"), "unicode": np.array(["ab", "cdé", "x"]), "strings": np.array([b"x", b"yz"])}
    values |= {"unicode_2d": np.array([["a", "bb"], ["ccc", "d"]]), "matrix": np.matrix([[1, 2], [3, 4]])}
    values |= {"list": [1, "two", [3.0, None]], "tuple": (1, b"x"), "set": {7}, "frozen": frozenset(["q"]), "deque": collections.deque([1, 2])}
    values |= {"no_list": [], "dict": {"a": "x", "b": {"k": 2.5}, "z": [1, 2]}, "object": np.array([[1, "a"], [2.5, None]], object)}
    values |= {"structured": np.array([(1, 2.5), (3, -0.0)], [("i", "i4"), ("x", "f8")])}
    if VERSION >= (0, 2):
        import datetime
        import fractions

        values |= {"range": range(1, 9, 2), "slice": slice(1, None, 2), "fraction": fractions.Fraction(1, 3)}
        values |= {"date": datetime.date(2024, 2, 29), "delta": datetime.timedelta(days=1, microseconds=5)}
        values |= {"ordered": collections.OrderedDict([("z", 1), ("a", 2)]), "keys": {1: "x", 2: "y"}, "odd_keys": {"a/b": 1, ".dot": 2}}
    return values


def read(path, name):
    return hdf5storage.read(path=f"/{name}", filename=str(path))


def equal(found, wanted, where: str) -> None:
    if isinstance(wanted, (set, frozenset, collections.deque)):
        assert type(found) is type(wanted), where
        wanted, found = sorted(wanted), sorted(found)
    identical(found, wanted, where)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("seed", range(2))
def test_python_objects_come_back(tmp_path, seed, options):
    values = python_values(seed)
    given, out = tmp_path / "given.mat", tmp_path / "out.mat"
    written = {}
    for name, value in values.items():
        try:
            hdf5storage.write(value, path=f"/{name}", filename=str(given), **OPTIONS[options])
            written[name] = read(given, name)
        except Exception:  # noqa: BLE001
            # hdf5storage refuses some with these options, and cannot read some that it wrote.
            with h5py.File(given, "a") as file:
                if name in file:
                    del file[name]
    assert len(written) > 40
    annarrow("convert", given, out, "--mat-profile", "hdf5storage")
    for name, wanted in written.items():
        equal(read(out, name), wanted, f"{options}: {name}")


def test_tables_of_python_objects(tmp_path):
    """Text is text, numbers are numbers, and what Python calls them stands in the metadata."""
    values = python_values(3)
    for name, value in values.items():
        try:
            hdf5storage.write(value, path=f"/{name}", filename=str(tmp_path / "given.mat"), matlab_compatible=False)
        except Exception:  # noqa: BLE001
            continue
    found = tables(tmp_path / "given.mat", tmp_path / "tables")
    value = lambda name: found[name]["value"].to_pylist()
    assert value("str") == ["naïve 日本"] and value("astral") == ["a😀"] and value("np_str") == ["ab"]
    assert value("unicode") == ["ab", "cdé", "x"]
    assert value("unicode_2d") == [["a", "bb"], ["ccc", "d"]]
    assert value("int") == [-(2**40)] and value("bool") == [True] and value("complex") == [{"real": 1.0, "imag": -2.0}]
    for kind in ("f8", "i2", "u8"):
        wanted = values[f"a_{kind}"]
        np.testing.assert_array_equal(np.array(value(f"a_{kind}")), wanted)
    metadata = found["unicode"].schema.metadata
    assert b'"Python.numpy.UnderlyingType":"str96"' in metadata[b"annarrow"].replace(b'": "', b'":"')
