"""Elements of obsm whose types differ between the inputs of concat: ragged arrays, text, complex numbers, records. Values
and types are the ones of `anndata.concat`, which takes `ak.concatenate` and `numpy.concatenate`."""

import anndata as ad
import numpy as np
import pytest
from test_concat import dataset, ours

ak = pytest.importorskip("awkward")
JOINS = pytest.mark.parametrize("join", ["inner", "outer"])
pytestmark = pytest.mark.filterwarnings("ignore")


def put_together(tmp_path, elements, join):
    """Our result, and anndata's."""
    inputs = []
    for i, element in enumerate(elements):
        data = dataset(i, rows=3)
        if element is not None:
            data.obsm["m"] = element
        inputs.append(data)
    done, path = ours(tmp_path, inputs, join=join)
    assert done.returncode == 0, done.stderr
    expected = ad.concat([ad.read_h5ad(tmp_path / f"in{i}.h5ad") for i in range(len(inputs))], join=join)
    return ad.read_h5ad(path).obsm, expected.obsm, done.stderr


def refused(tmp_path, elements, message, join="outer"):
    inputs = [dataset(i, rows=3) for i in range(len(elements))]
    for data, element in zip(inputs, elements, strict=True):
        if element is not None:
            data.obsm["m"] = element
    done, path = ours(tmp_path, inputs, join=join)
    assert done.returncode == 1
    assert "obsm/m" in done.stderr and message in done.stderr, done.stderr
    assert not path.exists()


RAGGED = {
    "floats": ([[1.0, 2.0], [], [3.0]], ak.values_astype(ak.Array([[1.0], [2.0], []]), "float32")),
    "integers and floats": ([[1, 2], [], [3]], [[1.5], [2.0], []]),
    "signs": (ak.values_astype(ak.Array([[1, 2], [], [3]]), "uint32"), ak.values_astype(ak.Array([[1], [2], []]), "int32")),
    "booleans and integers": ([[True], [], [False]], [[1], [2], []]),
    "lists of lists": ([[[1], [2]], [], [[3]]], [[[1.5], [2]], [], [[3]]]),
    "lists of one length": (ak.to_regular([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), ak.to_regular([[1, 2], [2, 3], [3, 4]])),
    "lists of two lengths": (ak.to_regular([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), ak.to_regular([[1.0], [2.0], [3.0]])),
    "lists of one length and of any": (ak.to_regular([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), [[1.0], [2.0], []]),
    "missing values": ([[1.0, None], [], [3.0]], [[1.0], [2.0], []]),
    "missing lists behind whole ones": ([[1.0], [], [3.0]], [[1.0], None, [2.0]]),
    "nothing": ([[], [], []], [["a"], [], ["b", "c"]]),
    "nothing last": ([["a"], [], ["b", "c"]], [[], [], []]),
    "text and numbers": ([["a"], [], ["b"]], [[1], [2], []]),
    "two depths": ([[[1], [2]], [], [[3]]], [[1.5], [], [3]]),
    "a union and numbers": ([[1, "a"], [], ["b"]], [[1.5], [], [2.0]]),
    "numbers and a union": ([[1.5], [], [2.0]], [[1, "a"], [], ["b"]]),
    "records": ([{"x": 1, "y": [1.0]}, {"x": 2, "y": []}, {"x": 3, "y": [2.0]}], [{"y": [1], "x": 1.5}] * 3),
    "records with other fields": ([{"x": 1, "y": 1.0}] * 3, [{"z": "a", "x": 1.5}] * 3),
    "lists of records": ([[{"x": 1, "y": 2}], [], [{"x": 3, "y": 4}]], [[{"y": 2.5, "x": 1}], [], []]),
    "lists of records with other fields": ([[{"x": 1, "y": 2}], [], []], [[{"x": 1.5, "z": 1}], [], []]),
    "three": ([[1], [], [2]], [["a"], [], []], [[2.5], [], [1.0]]),
}


def plain(value):
    """Records with their fields in one order: an inner join of anndata has them in any."""
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value)}
    return [plain(one) for one in value] if isinstance(value, list) else value


@JOINS
@pytest.mark.parametrize("case", RAGGED)
def test_ragged_arrays(tmp_path, case, join):
    result, expected, _ = put_together(tmp_path, [ak.Array(one) for one in RAGGED[case]], join)
    assert repr(plain(result["m"].to_list())) == repr(plain(expected["m"].to_list()))
    assert sorted(str(result["m"].type)) == sorted(str(expected["m"].type))


@pytest.mark.parametrize(
    "element",
    [[[1.0], [], [2.0]], [{"x": 1}] * 3, ["a", "b", "c"], [[1, "a"], [], ["b"]], [1, "a", "b"]],
    ids=["lists", "records", "text", "lists of unions", "unions"],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_ragged_array_that_one_dataset_lacks(tmp_path, element, first):
    elements = [ak.Array(element), None]
    result, expected, errors = put_together(tmp_path, elements if first else elements[::-1], "outer")
    assert result["m"].to_list() == expected["m"].to_list()
    assert "obsm/m: is missing in 1 of 2 datasets" in errors


def test_ragged_arrays_that_are_not_put_together(tmp_path):
    refused(tmp_path, [ak.Array([[1.0], [], [2.0]]), np.ones((3, 2))], "in1.h5ad: obsm/m: it is no ragged array here")
    tuples = ak.Array([[(1, 2)], [], []])
    refused(tmp_path, [tuples, ak.Array([[(1.5, 2)], [], []])], "it has tuples")
    named = ak.with_parameter(ak.Array([[1], [], []]), "unit", "nm")
    refused(tmp_path, [named, ak.Array([[1.5], [], []])], "it has parameters (unit)")


def test_ragged_categories_become_their_values(tmp_path):
    """anndata puts no ragged categories together."""
    inputs = [dataset(i, rows=3) for i in range(2)]
    inputs[0].obsm["m"] = ak.str.to_categorical(ak.Array([["a", "b"], [], ["a"]]))
    inputs[1].obsm["m"] = ak.str.to_categorical(ak.Array([["b"], ["c"], []]))
    with pytest.raises(NotImplementedError):
        ad.concat(inputs)
    done, path = ours(tmp_path, inputs)
    assert done.returncode == 0, done.stderr
    assert ad.read_h5ad(path).obsm["m"].to_list() == [["a", "b"], [], ["a"], ["b"], ["c"], []]
    assert "obsm/m: becomes List<Utf8>" in done.stderr


def records(*types, columns=2):
    return np.array([[tuple(range(len(types)))] * columns] * 3, dtype=[(name, kind) for name, kind in types])


STRUCTURED = {
    "complex": (np.full((3, 2), 1 + 2j, "complex64"), np.full((3, 2), 3 - 1j, "complex128")),
    "complex and floats": (np.full((3, 2), 1 + 2j, "complex64"), np.arange(6.0).reshape(3, 2)),
    "floats and complex": (np.arange(6, dtype="float32").reshape(3, 2), np.full((3, 2), 1 + 2j, "complex64")),
    "records": (records(("a", "i4"), ("b", "f4")), records(("a", "i8"), ("b", "f8"))),
    "text": (np.array([["a", "b"]] * 3, dtype=object), np.array([["abcdef", "b"]] * 3, dtype=object)),
    "text of fixed width": (np.array([["a", "b"]] * 3, dtype="S3"), np.array([["abcdef", "b"]] * 3, dtype="S9")),
    "text in records": (
        records(("a", "i4"), ("b", "S2")),
        np.array([[(1, b"abcdefgh")] * 2] * 3, dtype=[("a", "i4"), ("b", "S9")]),
    ),
}


@JOINS
@pytest.mark.parametrize("case", STRUCTURED)
def test_structured_values(tmp_path, case, join):
    result, expected, _ = put_together(tmp_path, STRUCTURED[case], join)
    assert result["m"].dtype == expected["m"].dtype
    np.testing.assert_array_equal(result["m"], expected["m"])


@pytest.mark.parametrize(
    "elements",
    [
        (np.full((3, 2), 1 + 2j), np.full((3, 3), 1 - 2j)),
        (np.array([["a", "b"]] * 3, dtype=object), np.array([["c", "d", "e"]] * 3, dtype=object)),
        (records(("a", "i4"), ("b", "f4")), records(("a", "i8"), ("b", "f8"), columns=3)),
    ],
    ids=["complex", "text", "records"],
)
def test_structured_values_with_columns_that_are_left_out(tmp_path, elements):
    result, expected, _ = put_together(tmp_path, elements, "inner")
    assert result["m"].dtype == expected["m"].dtype
    np.testing.assert_array_equal(result["m"], expected["m"])


def test_structured_values_that_are_not_put_together(tmp_path):
    """numpy takes no records with other fields; what it makes of text beside numbers, anndata cannot write."""
    refused(tmp_path, [records(("a", "i4"), ("b", "f4")), records(("a", "i4"), ("c", "f4"))], "which are not put together")
    text = np.array([["a", "b"]] * 3, dtype=object)
    refused(tmp_path, [text, np.ones((3, 2))], "which are not put together")
    refused(tmp_path, [text, None], "is missing here, and nothing can fill values of the type")
