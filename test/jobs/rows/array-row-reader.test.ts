import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StoredArray } from "../../../src/containers/tree/container.js";
import { ArrayRowReader } from "../../../src/jobs/rows/array-row-reader.js";
import { InvalidDataError, UnsupportedError } from "../../../src/model/errors.js";
import type { StoredType, StoredValues } from "../../../src/model/stored.js";
import { slowNested, storedType, storedValues } from "../../arrow/arbitrary-stored.js";
import { memoryArray, numbersArray, textOf } from "../../stored-array.js";

const product = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);
const plainRows = (type: StoredType, values: StoredValues, shape: readonly number[], rows: number) =>
  Array.from({ length: rows }, (_, i) => slowNested(type, values, shape, i));

/** An array of any type with chunks of any height. */
const stored = fc
  .tuple(storedType, fc.constantFrom<number[]>([], [2], [3, 2], [0]), fc.nat(30), fc.integer({ min: 1, max: 12 }))
  .chain(([type, shape, rows, chunk]) =>
    storedValues(type, rows * product(shape)).map((values) => ({ type, shape, rows, chunk, values })),
  );

describe("ranges of rows", () => {
  test("are those of the whole array, in any sequence", async () => {
    const cuts = fc.array(fc.tuple(fc.nat(30), fc.nat(30)), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(stored, cuts, async ({ type, shape, rows, chunk, values }, ranges) => {
        const band = new ArrayRowReader(memoryArray(type, [rows, ...shape], values, { chunks: [chunk, ...shape] }));
        const whole = plainRows(type, values, shape, rows);
        for (const [a, b] of ranges) {
          const [start, end] = [Math.min(a, b, rows), Math.min(Math.max(a, b), rows)];
          const part = await band.read(start, end, {});
          expect(plainRows(type, part, shape, end - start)).toEqual(whole.slice(start, end));
        }
      }),
    );
  });

  test("one after the other decode no chunk twice", async () => {
    const steps = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 40, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 16 }), steps, async (rows, chunk, sizes) => {
        const array = numbersArray(
          Int32Array.from({ length: rows }, (_, i) => i),
          { chunks: [chunk] },
        );
        const band = new ArrayRowReader(array);
        const seen: number[] = [];
        for (let at = 0, i = 0; at < rows; i++) {
          const end = Math.min(rows, at + sizes[i % sizes.length]);
          const values = await band.read(at, end, {});
          if (values.kind === "fixed") seen.push(...Array.from(values.values, Number));
          at = end;
        }
        expect(seen).toEqual(Array.from({ length: rows }, (_, i) => i));
        const decoded = array.reads.flatMap(([start, end]) =>
          Array.from(
            { length: Math.ceil(end / chunk) - Math.floor(start / chunk) },
            (_, i) => Math.floor(start / chunk) + i,
          ),
        );
        expect(decoded.toSorted((a, b) => a - b)).toEqual(Array.from({ length: Math.ceil(rows / chunk) }, (_, i) => i));
      }),
    );
  });

  test("of an array without chunks read exactly themselves", async () => {
    const array = numbersArray(Int8Array.of(1, 2, 3, 4));
    const band = new ArrayRowReader(array);
    await band.read(1, 2, {});
    await band.read(2, 4, {});
    expect(array.reads).toEqual([
      [1, 2],
      [2, 4],
    ]);
  });

  test("of a scalar are its one row", async () => {
    const array = memoryArray({ kind: "bool" }, [], { kind: "fixed", values: Uint8Array.of(1) });
    expect(await new ArrayRowReader(array).read(0, 1, {})).toEqual({ kind: "fixed", values: Uint8Array.of(1) });
  });

  test("of chunks too large to keep are read one by one", async () => {
    const width = 2 ** 22;
    const array: StoredArray = {
      ...numbersArray(new Float64Array(0)),
      shape: [8, width],
      chunks: [4, width],
      read: async (start, end) => ({ kind: "fixed", values: new Float64Array((end - start) * width) }),
    };
    const part = await new ArrayRowReader(array).read(1, 2, {});
    expect(part.kind === "fixed" && part.values.length).toBe(width);
  });

  test("beyond the end are an error with both numbers", async () => {
    await expect(new ArrayRowReader(numbersArray(Int8Array.of(1))).read(0, 2, {})).rejects.toThrow(/0 … 2 of 1/);
    await expect(new ArrayRowReader(numbersArray(Int8Array.of(1))).read(0, 2, {})).rejects.toThrow(InvalidDataError);
  });

  test.each<[StoredType, StoredValues, string]>([
    [{ kind: "int", bits: 8, signed: true }, { kind: "fixed", values: new Int8Array(3) }, "3 values"],
    [{ kind: "complex", bits: 64 }, { kind: "fixed", values: new Float32Array(2) }, "1 values"],
    [{ kind: "bytes", width: 3 }, { kind: "fixed", values: new Uint8Array(9) }, "3 values"],
    [
      { kind: "bytes", width: null },
      { kind: "variable", offsets: Int32Array.of(0, 0), bytes: new Uint8Array(0) },
      "1 values",
    ],
    [{ kind: "record", fields: [] }, { kind: "record", length: 5, fields: [] }, "5 values"],
  ])("a container that returns another number of %j is caught", async (type, values, found) => {
    const array: StoredArray = { ...memoryArray(type, [2], values), read: async () => values };
    await expect(new ArrayRowReader(array).read(0, 2, {})).rejects.toThrow(`${found} were read where 2 were asked for`);
  });
});

describe("text of a great fixed width", () => {
  const wide = (width: number, rows: number) =>
    memoryArray(
      { kind: "text", storage: { form: "fixed", encoding: "ascii", width, padding: "nullpad" } },
      [rows],
      textOf(Array.from({ length: rows }, (_, i) => `row ${i}`)),
    );

  test("is read in parts", async () => {
    const array = wide(2 ** 27, 5);
    const values = await new ArrayRowReader(array).read(0, 5, {});
    expect(array.reads).toEqual([
      [0, 2],
      [2, 4],
      [4, 5],
    ]);
    expect(values).toEqual(textOf(["row 0", "row 1", "row 2", "row 3", "row 4"]));
  });

  test("that no memory holds is refused", async () => {
    await expect(new ArrayRowReader(wide(2 ** 29, 1)).read(0, 1, {})).rejects.toThrow(UnsupportedError);
    await expect(new ArrayRowReader(wide(2 ** 27, 33)).read(0, 33, {})).rejects.toThrow(
      /33 rows of 134217728 bytes each/,
    );
  });
});
