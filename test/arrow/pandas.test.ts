import { expect, test } from "vitest";
import { createPandasMetadata } from "../../src/arrow/pandas.js";
import { type ArrowType, BOOL, createField, INT32, INT64, NULL, nestType, UTF8 } from "../../src/arrow/type.js";

const columnsOf = (...types: readonly [string, ArrowType][]) =>
  JSON.parse(createPandasMetadata(types.map(([name, type]) => createField(name, type, false)))).columns;

test("an index stored as _index has no name; the index stands last", () => {
  const metadata = JSON.parse(createPandasMetadata([createField("_index", UTF8), createField("n", INT64, false)]));
  expect(metadata.index_columns).toEqual(["_index"]);
  expect(metadata.columns).toMatchObject([
    { name: "n", field_name: "n", pandas_type: "int64", numpy_type: "int64", metadata: null },
    { name: null, field_name: "_index", pandas_type: "unicode", numpy_type: "object" },
  ]);
});

test("an index with a name keeps it; a column called _index is one", () => {
  expect(JSON.parse(createPandasMetadata([createField("cell", UTF8)])).columns).toMatchObject([
    { name: "cell", field_name: "cell" },
  ]);
  expect(columnsOf(["cell", UTF8], ["_index", INT64])[0]).toMatchObject({ name: "_index" });
});

test.each<[ArrowType, string, string]>([
  [BOOL, "bool", "bool"],
  [{ id: "Int", bits: 16, signed: false }, "uint16", "uint16"],
  [{ id: "Float", bits: 32 }, "float32", "float32"],
  [{ id: "Timestamp", unit: "ns" }, "datetime", "datetime64[ns]"],
  [{ id: "Duration", unit: "s" }, "timedelta", "timedelta64[s]"],
  [{ id: "Binary" }, "bytes", "object"],
  [NULL, "empty", "object"],
  [nestType(INT64, [2]), "object", "object"],
  [{ id: "Dictionary", index: INT32, value: UTF8, ordered: true }, "categorical", "int32"],
])("%j is %s", (type, pandas, numpy) => {
  expect(columnsOf(["i", UTF8], ["c", type])[0]).toMatchObject({ pandas_type: pandas, numpy_type: numpy });
});

test("a categorical says whether it is ordered", () => {
  const [column] = columnsOf(["i", UTF8], ["c", { id: "Dictionary", index: INT32, value: UTF8, ordered: true }]);
  expect(column.metadata).toEqual({ num_categories: null, ordered: true });
});

test.each<[ArrowType, string, string]>([
  [BOOL, "bool", "boolean"],
  [{ id: "Int", bits: 8, signed: true }, "int8", "Int8"],
  [{ id: "Int", bits: 64, signed: false }, "uint64", "UInt64"],
  [{ id: "Float", bits: 64 }, "float64", "float64"],
])("%j with missing values is pandas' nullable type", (type, pandas, numpy) => {
  const fields = [createField("i", UTF8), createField("c", type, true)];
  expect(JSON.parse(createPandasMetadata(fields)).columns[0]).toMatchObject({ pandas_type: pandas, numpy_type: numpy });
});

test.each([
  [{ kind: "nullable-string-array" }, "string"],
  [{ kind: "nullable-string-array", "na-value": "NA" }, "string"],
  [{ kind: "nullable-string-array", "na-value": "NaN" }, "str"],
  [{ kind: "string-array" }, "object"],
])("text of %j is %s", (metadata, numpy) => {
  const fields = [createField("i", UTF8), { ...createField("c", UTF8), nullable: true, metadata }];
  expect(JSON.parse(createPandasMetadata(fields)).columns[0]).toMatchObject({
    pandas_type: "unicode",
    numpy_type: numpy,
  });
});
