import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toRecordBatch, toSchema } from "../../src/arrow/apache/apache.js";
import { createFixedSizeLists } from "../../src/arrow/dense.js";
import { createStoredColumn, getStoredArrowType } from "../../src/arrow/stored.js";
import { createField, describeArrowType, mayBeNull, nestType } from "../../src/arrow/type.js";
import { InvalidDataError, UnsupportedError } from "../../src/model/errors.js";
import type { StoredType } from "../../src/model/stored.js";
import { dimensions, slowNested, slowValue, storedType, storedValues } from "./arbitrary-stored.js";
import { plainColumn, roundTrip, throughIpc } from "./plain.js";

const product = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

const randomArray = fc.tuple(storedType, dimensions, fc.nat(5)).chain(([type, shape, rows]) =>
  fc.record({
    type: fc.constant(type),
    shape: fc.constant(shape),
    rows: fc.constant(rows),
    values: storedValues(type, rows * product(shape)),
  }),
);

describe("stored arrays of every type", () => {
  test("come out of an IPC stream as docs/mapping.md has them", () => {
    fc.assert(
      fc.property(randomArray, ({ type, shape, rows, values }) => {
        const flat = createStoredColumn(type, values, rows * product(shape), "error");
        const column = createFixedSizeLists(flat, shape, rows);
        const expected = Array.from({ length: rows }, (_, i) => slowNested(type, values, shape, i));
        expect(roundTrip(column)).toEqual(expected);
        expect(describeArrowType(column.type)).toBe(describeArrowType(nestType(getStoredArrowType(type), shape)));
      }),
      { numRuns: 300 },
    );
  });

  test("keep their values where they share batches with other columns", () => {
    const pair = fc
      .tuple(storedType, storedType, fc.nat(20))
      .chain(([a, b, rows]) =>
        fc.tuple(fc.constant([a, b] as const), fc.constant(rows), storedValues(a, rows), storedValues(b, rows)),
      );
    fc.assert(
      fc.property(pair, ([types, rows, ...values]) => {
        const columns = types.map((type, i) => createStoredColumn(type, values[i], rows, "error"));
        const schema = toSchema(
          columns.map((column, i) => createField(String(i), column.type)),
          new Map(),
        );
        const table = throughIpc([toRecordBatch(schema, columns, rows), toRecordBatch(schema, columns, rows)]);
        for (const [i, type] of types.entries()) {
          const once = Array.from({ length: rows }, (_, row) => slowValue(type, values[i], row));
          expect(plainColumn(table, i)).toEqual([...once, ...once]);
        }
      }),
    );
  });
});

describe("types", () => {
  test.each<[StoredType, string]>([
    [{ kind: "bool" }, "Bool"],
    [{ kind: "int", bits: 8, signed: false }, "Uint8"],
    [{ kind: "int", bits: 64, signed: true }, "Int64"],
    [{ kind: "float", bits: 16 }, "Float16"],
    [{ kind: "complex", bits: 64 }, "Struct<real: Float32, imag: Float32>"],
    [{ kind: "complex", bits: 128 }, "Struct<real: Float64, imag: Float64>"],
    [{ kind: "text", storage: { form: "fixed", encoding: "utf-32", width: 8, padding: "nullpad" } }, "Utf8"],
    [{ kind: "bytes", width: null }, "Binary"],
    [{ kind: "bytes", width: 3 }, "FixedSizeBinary[3]"],
    [{ kind: "datetime", unit: "us", step: 1 }, "Timestamp<us>"],
    [{ kind: "datetime", unit: "D", step: 1 }, "Timestamp<s>"],
    [{ kind: "timedelta", unit: "ns", step: 1 }, "Duration<ns>"],
    [
      { kind: "record", fields: [{ name: "x", type: { kind: "bool" }, shape: [2, 3] }] },
      "Struct<x: FixedSizeList<FixedSizeList<Bool>[3]>[2]>",
    ],
  ])("%j is %s", (type, expected) => {
    expect(describeArrowType(getStoredArrowType(type))).toBe(expected);
  });

  test.each<[StoredType, RegExp]>([
    [{ kind: "unsupported", name: "float128" }, /float128/],
    [{ kind: "reference" }, /reference/],
    [{ kind: "datetime", unit: "ps", step: 1 }, /ps/],
    [{ kind: "timedelta", unit: "generic", step: 1 }, /generic/],
    [{ kind: "record", fields: [{ name: "x", type: { kind: "reference" }, shape: [] }] }, /reference/],
  ])("%j has none", (type, message) => {
    expect(() => getStoredArrowType(type)).toThrow(UnsupportedError);
    expect(() => getStoredArrowType(type)).toThrow(message);
  });

  test.each<StoredType>([{ kind: "reference" }, { kind: "unsupported", name: "float128" }])(
    "%j has no column",
    (type) => {
      expect(() => createStoredColumn(type, { kind: "fixed", values: new Uint8Array(8) }, 1, "error")).toThrow(
        UnsupportedError,
      );
    },
  );

  test("times, dictionaries and nulls may be missing, numbers and text not", () => {
    const nullable = (type: StoredType) => mayBeNull(getStoredArrowType(type));
    expect(nullable({ kind: "datetime", unit: "s", step: 1 })).toBe(true);
    expect(nullable({ kind: "float", bits: 64 })).toBe(false);
  });
});

test("a type as deep as HDF5 allows takes no time that doubles with each level", { timeout: 5000 }, () => {
  let type: StoredType = { kind: "datetime", unit: "s", step: 1 };
  for (let depth = 0; depth < 32; depth++) type = { kind: "record", fields: [{ name: "a", type, shape: [] }] };
  const arrow = getStoredArrowType(type);
  expect(describeArrowType(arrow)).toBe(`${"Struct<a: ".repeat(32)}Timestamp<s>${">".repeat(32)}`);
});

test("a boolean that is neither 0 nor 1 is an error with its place and value", () => {
  const values = { kind: "fixed", values: Uint8Array.of(0, 1, 7) } as const;
  expect(() => createStoredColumn({ kind: "bool" }, values, 3, "error")).toThrow(InvalidDataError);
  expect(() => createStoredColumn({ kind: "bool" }, values, 3, "error")).toThrow(/boolean 2 of 3 .* 7/);
});
