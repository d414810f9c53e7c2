import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Column } from "../../src/arrow/column.js";
import { createFixedSizeLists } from "../../src/arrow/dense.js";
import { toStorageMetadata } from "../../src/arrow/storage-metadata.js";
import { createNullableColumn, createStoredColumn } from "../../src/arrow/stored.js";
import { sliceColumn } from "../../src/arrow/take.js";
import { createTextColumn } from "../../src/arrow/text.js";
import { type ArrowField, type ArrowType, createField, INT32, INT64, nestType, UTF8 } from "../../src/arrow/type.js";
import { createRecordType, toWrittenForm } from "../../src/arrow/written-type.js";
import { recordValues, splitNullableValues, toStoredValues } from "../../src/arrow/written-values.js";
import { computeValidity } from "../../src/kernels/values/bitmap.js";
import { joinValues } from "../../src/kernels/values/join-values.js";
import { InvalidInputError, UnsupportedError } from "../../src/model/errors.js";
import { type StoredType, type StoredValues, viewAsBytes } from "../../src/model/stored.js";
import { TEXT, textOf } from "../stored-array.js";
import { storedValues as arbitraryValues, dimensions, storedType } from "./arbitrary-stored.js";
import { hex } from "./plain.js";

const product = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

/** Values with their exact bytes. */
function bytesIn(values: StoredValues): unknown {
  switch (values.kind) {
    case "fixed":
      return [values.values.constructor.name, hex(viewAsBytes(values.values))];
    case "variable":
      return [Array.from(values.offsets), hex(values.bytes)];
    case "record":
      return [values.length, values.fields.map(bytesIn)];
    case "sequence":
      return [Array.from(values.offsets), bytesIn(values.values)];
    default:
      return values satisfies never;
  }
}

/** The metadata that a reader gives the field of a stored type. */
const fieldOf = (type: StoredType, arrow: ArrowType): ArrowField => ({
  ...createField("value", arrow),
  metadata: { kind: "array", ...toStorageMetadata(type) },
});

const randomArray = fc.tuple(storedType, dimensions, fc.nat(9)).chain(([type, shape, rows]) =>
  fc.record({
    type: fc.constant(type),
    shape: fc.constant(shape),
    rows: fc.constant(rows),
    cut: fc.nat(rows),
    values: arbitraryValues(type, rows * product(shape)),
  }),
);

describe("stored arrays of every type, read and written back", () => {
  test("have their type, shape and bytes", () => {
    fc.assert(
      fc.property(randomArray, ({ type, shape, rows, cut, values }) => {
        const column = createFixedSizeLists(
          createStoredColumn(type, values, rows * product(shape), "error"),
          shape,
          rows,
        );
        const form = toWrittenForm(fieldOf(type, column.type));
        expect(form).toEqual({ type, shape });
        expect(bytesIn(toStoredValues(form, column))).toEqual(bytesIn(values));
        // In two batches, of which the second begins within a byte of a bitmap.
        const parts = [sliceColumn(column, 0, cut), sliceColumn(column, cut, rows)];
        expect(bytesIn(joinValues(parts.map((part) => toStoredValues(form, part))))).toEqual(bytesIn(values));
      }),
      { numRuns: 500 },
    );
  });

  test("records are one column per field", () => {
    const type: StoredType = {
      kind: "record",
      fields: [
        {
          name: "name",
          type: { kind: "text", storage: { form: "fixed", encoding: "ascii", width: 4, padding: "nullpad" } },
          shape: [],
        },
        { name: "pos", type: { kind: "float", bits: 32 }, shape: [2] },
        {
          name: "z",
          type: {
            kind: "record",
            fields: ["real", "imag"].map((name) => ({ name, type: { kind: "float", bits: 32 }, shape: [] })),
          },
          shape: [],
        },
      ],
    };
    const half: StoredValues = { kind: "fixed", values: Float32Array.of(0.5, 1.5) };
    const stored = [
      textOf(["a", ""]),
      { kind: "fixed", values: Float32Array.of(1, 2, 3, 4) } as const,
      { kind: "record", length: 2, fields: [half, half] } as const,
    ];
    const columns = type.fields.map((one, i) =>
      createFixedSizeLists(createStoredColumn(one.type, stored[i], 2 * product(one.shape), "error"), one.shape, 2),
    );
    const fields = type.fields.map((one, i) => ({ ...fieldOf(one.type, columns[i].type), name: one.name }));
    expect(createRecordType(fields)).toEqual(type);
    expect(bytesIn(recordValues(type, columns, 2))).toEqual(bytesIn({ kind: "record", length: 2, fields: stored }));
  });
});

describe("types of fields that never were stored", () => {
  const record = (type: StoredType): StoredType => ({ kind: "record", fields: [{ name: "x", type, shape: [3] }] });
  test.each<[ArrowType, StoredType, number[]]>([
    [{ id: "Bool" }, { kind: "bool" }, []],
    [INT64, { kind: "int", bits: 64, signed: true }, []],
    [nestType({ id: "Float", bits: 16 }, [2, 0]), { kind: "float", bits: 16 }, [2, 0]],
    [UTF8, TEXT, []],
    [{ id: "Binary" }, { kind: "bytes", width: null }, []],
    [{ id: "Timestamp", unit: "ms" }, { kind: "datetime", unit: "ms", step: 1 }, []],
    [{ id: "Dictionary", index: INT32, value: UTF8, ordered: false }, TEXT, []],
    [
      { id: "Struct", fields: [createField("x", nestType(INT32, [3]))] },
      record({ kind: "int", bits: 32, signed: true }),
      [],
    ],
    [
      { id: "Struct", fields: ["real", "imag"].map((name) => createField(name, { id: "Float", bits: 64 })) },
      { kind: "complex", bits: 128 },
      [],
    ],
  ])("%j", (arrow, type, shape) => {
    expect(toWrittenForm(createField("a", arrow))).toEqual({ type, shape });
  });

  test.each<ArrowType>([{ id: "Null" }, { id: "DenseUnion", fields: [createField("0", INT32)] }])(
    "%j has none",
    (arrow) => {
      expect(() => toWrittenForm(createField("a", arrow))).toThrow(UnsupportedError);
    },
  );

  test.each<[ArrowType, Record<string, unknown>]>([
    [UTF8, { storage: "fixed" }],
    [UTF8, { storage: { form: "fixed", encoding: "latin1", width: 3, padding: "nullpad" } }],
    [UTF8, { storage: { form: "fixed", encoding: "ascii", width: -3, padding: "nullpad" } }],
    [
      { id: "Timestamp", unit: "s" },
      { unit: "fortnight", step: 1 },
    ],
    [
      { id: "Timestamp", unit: "s" },
      { unit: "D", step: 0 },
    ],
    [{ id: "Bool" }, { members: [{ name: "A" }], base: { kind: "int", bits: 8, signed: true } }],
    [{ id: "Bool" }, { members: [], base: { kind: "int", bits: 9, signed: true } }],
    [{ id: "Struct", fields: [createField("x", INT32)] }, { fields: [] }],
  ])("metadata of %j that is wrong: %j", (arrow, metadata) => {
    expect(() => toWrittenForm({ ...createField("a", arrow), metadata })).toThrow(InvalidInputError);
  });
});

const INT8: StoredType = { kind: "int", bits: 8, signed: true };
const missing = (column: Column, ...places: number[]): Column => ({
  ...column,
  validity: computeValidity(column.length, (i) => !places.includes(i)),
});
const int8 = (...values: number[]) =>
  createStoredColumn(INT8, { kind: "fixed", values: Int8Array.from(values) }, values.length, "error");

describe("missing values", () => {
  test("are an error with their row where the type has no form for them", () => {
    const form = { type: INT8, shape: [] };
    expect(() => toStoredValues(form, missing(int8(1, 2, 3), 1))).toThrow(InvalidInputError);
    expect(() => toStoredValues(form, missing(int8(1, 2, 3), 1))).toThrow("row 1 of 3 has a missing value");
    const rows = createFixedSizeLists(missing(int8(1, 2, 3, 4), 3), [2], 2);
    expect(() => toStoredValues({ ...form, shape: [2] }, rows)).toThrow("row 1 of 2 has a missing value");
    expect(() => toStoredValues({ ...form, shape: [2] }, missing(createFixedSizeLists(int8(1, 2), [2], 1), 0))).toThrow(
      "row 0 of 1",
    );
  });

  test("are NaN, zero, false or nothing where that is asked for", () => {
    const fill = (column: Column, type: StoredType) => toStoredValues({ type, shape: [] }, missing(column, 1), "fill");
    expect(fill(int8(1, 2, 3), INT8)).toEqual({ kind: "fixed", values: Int8Array.of(1, 0, 3) });
    const wide: StoredType = { kind: "int", bits: 64, signed: false };
    const big = createStoredColumn(wide, { kind: "fixed", values: BigUint64Array.of(1n, 2n) }, 2, "error");
    expect(fill(big, wide)).toEqual({ kind: "fixed", values: BigUint64Array.of(1n, 0n) });
    const half: StoredType = { kind: "float", bits: 16 };
    const halves = createStoredColumn(half, { kind: "fixed", values: Uint16Array.of(1, 2) }, 2, "error");
    expect(fill(halves, half)).toEqual({ kind: "fixed", values: Uint16Array.of(1, 0x7e00) });
    const float: StoredType = { kind: "float", bits: 32 };
    const floats = createStoredColumn(float, { kind: "fixed", values: Float32Array.of(1, 2) }, 2, "error");
    expect(fill(floats, float)).toEqual({ kind: "fixed", values: Float32Array.of(1, Number.NaN) });
    expect(fill(createTextColumn(["a", "bc", "d"]), TEXT)).toEqual(textOf(["a", "", "d"]));
    const bits = createStoredColumn({ kind: "bool" }, { kind: "fixed", values: Uint8Array.of(1, 1, 1) }, 3, "error");
    expect(fill(bits, { kind: "bool" })).toEqual({ kind: "fixed", values: Uint8Array.of(1, 0, 1) });
    const complex: StoredType = { kind: "complex", bits: 64 };
    const numbers = createStoredColumn(complex, { kind: "fixed", values: Float32Array.of(1, 2, 3, 4) }, 2, "error");
    expect(fill(numbers, complex)).toEqual({ kind: "fixed", values: Float32Array.of(1, 2, Number.NaN, Number.NaN) });
  });

  test("of a whole list are all its values", () => {
    const rows = missing(createFixedSizeLists(int8(1, 2, 3, 4), [2], 2), 0);
    expect(toStoredValues({ type: INT8, shape: [2] }, rows, "fill")).toEqual({
      kind: "fixed",
      values: Int8Array.of(0, 0, 3, 4),
    });
  });

  test("values and mask are what a nullable column was made of, but for what stood under the mask", () => {
    const mask = Uint8Array.of(0, 1, 0, 0, 0, 0, 0, 0, 0, 1);
    const column = createNullableColumn(int8(1, 9, 3, 4, 5, 6, 7, 8, 9, 10), mask);
    expect(splitNullableValues({ type: INT8, shape: [] }, column)).toEqual({
      values: { kind: "fixed", values: Int8Array.of(1, 0, 3, 4, 5, 6, 7, 8, 9, 0) },
      mask: { kind: "fixed", values: mask },
    });
    expect(splitNullableValues({ type: INT8, shape: [] }, int8(1)).mask.values).toEqual(Uint8Array.of(0));
  });
});

describe("text of fixed width", () => {
  const form = (
    encoding: "ascii" | "utf-8" | "utf-32",
    width: number,
    padding: "nullterm" | "nullpad" | "spacepad",
  ) => ({
    type: { kind: "text", storage: { form: "fixed", encoding, width, padding } } as const,
    shape: [],
  });

  test.each([
    [form("ascii", 3, "nullpad"), ["abc", "", "a\0b"]],
    [form("utf-8", 4, "nullterm"), ["😀", "üa"]],
    [form("utf-32", 12, "nullpad"), ["😀ü€"]],
    [form("utf-8", 3, "spacepad"), [" ab"]],
  ])("%j holds %j", (of, values) => {
    expect(toStoredValues(of, createTextColumn(values))).toEqual(textOf(values));
  });

  test.each([
    [form("ascii", 3, "nullpad"), "abcd", "takes 4 bytes, its fixed storage has 3"],
    [form("utf-8", 3, "nullpad"), "😀", "takes 4 bytes"],
    [form("utf-32", 8, "nullpad"), "abc", "takes 12 bytes"],
    [form("ascii", 3, "nullpad"), "ü", "not ASCII"],
    [form("ascii", 3, "nullpad"), "a\0", "nullpad"],
    [form("ascii", 3, "nullterm"), "a\0b", "nullterm"],
    [form("ascii", 3, "spacepad"), "a ", "spacepad"],
  ])("%j does not hold %j", (of, value, message) => {
    expect(() => toStoredValues(of, createTextColumn(["x", value]))).toThrow(InvalidInputError);
    expect(() => toStoredValues(of, createTextColumn(["x", value]))).toThrow(message);
  });
});

describe("times", () => {
  const column = (id: "Timestamp" | "Duration", ...values: bigint[]): Column => ({
    layout: "primitive",
    type: { id, unit: "s" },
    length: values.length,
    validity: null,
    values: BigInt64Array.from(values),
  });
  const ticks = (kind: "datetime" | "timedelta", unit: "Y" | "M" | "W" | "D" | "h", step: number, value: bigint) =>
    toStoredValues(
      { type: { kind, unit, step }, shape: [] },
      column(kind === "datetime" ? "Timestamp" : "Duration", value),
    );
  const seconds = (date: string) => BigInt(Date.parse(`${date}T00:00:00Z`) / 1000);

  test.each<["Y" | "M" | "D", number, string, bigint]>([
    ["Y", 1, "1970-01-01", 0n],
    ["Y", 1, "1969-01-01", -1n],
    ["Y", 10, "2000-01-01", 3n],
    ["M", 1, "2024-03-01", 650n],
    ["M", 1, "1968-02-01", -23n],
    ["M", 1, "0001-01-01", -23628n],
    ["D", 1, "1969-12-31", -1n],
  ])("%s x %i of %s", (unit, step, date, expected) => {
    expect(ticks("datetime", unit, step, seconds(date))).toEqual({ kind: "fixed", values: BigInt64Array.of(expected) });
  });

  test("between two ticks are errors", () => {
    expect(() => ticks("datetime", "Y", 1, seconds("2000-01-02"))).toThrow(InvalidInputError);
    expect(() => ticks("datetime", "D", 7, seconds("1970-01-09"))).toThrow("no whole number of 7D");
    expect(() => ticks("timedelta", "h", 1, 3601n)).toThrow("time 3601 s at 0 is no whole number of h");
  });

  test("that are as NaT is are errors, not missing", () => {
    expect(() => ticks("timedelta", "h", 1, -(2n ** 63n))).toThrow("stands for a missing time");
  });
});

describe("enums", () => {
  const members = [
    { name: "FALSE", value: 0 },
    { name: "TRUE", value: 1 },
  ];
  const base = { kind: "int", bits: 8, signed: true } as const;

  test("without NA have no missing value", () => {
    const bits = createStoredColumn({ kind: "bool" }, { kind: "fixed", values: Uint8Array.of(1, 0) }, 2, "error");
    const form = { type: { kind: "enum", base, members }, shape: [] } as const;
    expect(toStoredValues(form, bits)).toEqual({ kind: "fixed", values: Int8Array.of(1, 0) });
    expect(() => toStoredValues(form, missing(bits, 1))).toThrow(InvalidInputError);
  });

  test("take names from any dictionary, and refuse others", () => {
    const form = {
      type: {
        kind: "enum",
        base,
        members: [
          { name: "LOW", value: 5 },
          { name: "HIGH", value: -3 },
        ],
      },
      shape: [],
    } as const;
    expect(toStoredValues(form, createTextColumn(["HIGH", "LOW"]))).toEqual({
      kind: "fixed",
      values: Int8Array.of(-3, 5),
    });
    expect(() => toStoredValues(form, createTextColumn(["LOW", "MID"]))).toThrow("MID at 1 is no member (LOW, HIGH)");
  });
});
