import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import type { PrimitiveColumn } from "../../../src/arrow/column.js";
import { createHdf5 } from "../../../src/containers/hdf5/write/container.js";
import { createBytesTarget } from "../../../src/io/targets/memory.js";
import { writeBpcells } from "../../../src/writers/bpcells/write.js";
import { inlineEncoder } from "../../containers/hdf5/write/inline-encoder.js";
import { draws } from "../../draws.js";
import { expectedOf, filesOf } from "../../readers/bpcells/stores.js";
import { bools, lists as fixedLists, floats, ints, names, table, text } from "../tables.js";
import { coordinates, type Entry, lists, type Matrix, readBack, small, written } from "./matrices.js";

interface Case {
  readonly shape: readonly [number, number];
  readonly order: "row" | "column";
  readonly indptr?: string;
  readonly indices?: string;
  readonly data?: string;
  readonly files: Readonly<Record<string, string>>;
}

const cases: Record<string, Case> = JSON.parse(readFileSync("test/fixtures/data/written-bp128/cases.json", "utf8"));

const wordsOf = (base64: string) => new Uint32Array(Uint8Array.from(Buffer.from(base64, "base64")).buffer);

/** The matrix that test/fixtures/bpcells/make_written_bp128.py handed to BPCells. */
function matrixOf({ shape, order, indptr, indices, data }: Case): { matrix: Matrix; values: Uint32Array } {
  const entries: Entry[] = [];
  if (indptr === undefined || indices === undefined || data === undefined) {
    const values: number[] = [];
    for (let col = 0; col < shape[1]; col++) {
      for (let k = 0; k < 450; k++) {
        entries.push({ row: col + 2 * k, col, at: values.length });
        values.push(1 + ((7 * col + k * k) % 40));
      }
    }
    return { matrix: { shape, entries }, values: Uint32Array.from(values) };
  }
  const [pointers, minor, values] = [wordsOf(indptr), wordsOf(indices), wordsOf(data)];
  for (let major = 0; major + 1 < pointers.length; major++) {
    for (let at = pointers[major]; at < pointers[major + 1]; at++) {
      entries.push(order === "row" ? { row: major, col: minor[at], at } : { row: minor[at], col: major, at });
    }
  }
  return { matrix: { shape, entries }, values };
}

const bytesOf = (files: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries([...files].sort().map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]));

describe("the bytes that BPCells writes", () => {
  describe.each(Object.entries(cases))("%s", (_, given) => {
    const { matrix, values } = matrixOf(given);
    const unsigned = (at: readonly number[]) => ints(Uint32Array.from(at, (place) => values[place]));
    const sorted = Object.fromEntries(Object.entries(given.files).sort());

    test("from lists of entries", async () => {
      for (const perBatch of [1, 7, 1000]) {
        const { files } = await written({ matrix: lists(matrix, given.order, { values: unsigned, perBatch }) });
        expect(bytesOf(files)).toEqual(sorted);
      }
    });

    test("from coordinates in order, known or not", async () => {
      for (const order of [given.order, undefined]) {
        const promise = order === undefined ? {} : { order };
        const source = coordinates(matrix, { values: unsigned, perBatch: 777, ...promise });
        const { files } = await written({ matrix: source }, { order: given.order });
        expect(bytesOf(files)).toEqual(sorted);
      }
    });

    test("from coordinates in the other order, and in none", async () => {
      const other = given.order === "row" ? "column" : "row";
      const turned = { ...matrix, entries: [...matrix.entries].reverse() };
      const source = coordinates(turned, { values: unsigned, stream: true });
      expect(bytesOf((await written({ matrix: source }, { order: given.order })).files)).toEqual(sorted);
      if (matrix.shape[0] > 10_000) return;
      const listed = lists(matrix, other, { values: unsigned });
      expect(bytesOf((await written({ matrix: listed }, { order: given.order })).files)).toEqual(sorted);
    });

    test("from floats that are whole numbers, as type uint", async () => {
      const exact = values.every((value) => Math.fround(value) === value);
      const columns: ((at: readonly number[]) => PrimitiveColumn)[] = [
        (at) => floats(Float64Array.from(at, (place) => values[place])),
        (at) => ints(BigInt64Array.from(at, (place) => BigInt(values[place] ?? 0))),
        ...(exact ? [(at: readonly number[]) => floats(Float32Array.from(at, (place) => values[place]))] : []),
      ];
      for (const column of columns) {
        const { files } = await written(
          { matrix: lists(matrix, given.order, { values: column, perBatch: 50 }) },
          { type: "uint" },
        );
        expect(bytesOf(files)).toEqual(sorted);
      }
    });
  });
});

test.each(["packed", "packed-row", "packed-double", "unpacked-float", "unpacked-row", "packed-v1"])(
  "%s, read and written again",
  async (store) => {
    const { order, row, col, value, shape, row_names, col_names } = expectedOf(store);
    const matrix = { shape, entries: row.map((one, at) => ({ row: one, col: col[at], at })) };
    const isFloat = store.endsWith("float");
    const values = (at: readonly number[]) => {
      const numbers = at.map((place) => value[place]);
      if (store.endsWith("double")) return floats(Float64Array.from(numbers));
      return isFloat ? floats(Float32Array.from(numbers)) : ints(Uint32Array.from(numbers));
    };
    const list = (all: readonly string[] | null, name: string) =>
      all === null ? {} : { [name]: table(name, [{ value: text(...all) }]) };
    const tables = {
      matrix: coordinates(matrix, { values, order }),
      ...list(row_names, "row_names"),
      ...list(col_names, "col_names"),
    };
    const { files } = await written(tables, { packed: store.startsWith("packed") });
    const original = filesOf(store);
    if (store === "packed-v1") {
      for (const name of ["version", "idxptr"]) original.delete(name);
      for (const name of ["version", "idxptr", "val_idx_offsets", "index_idx_offsets"]) files.delete(name);
    }
    expect(bytesOf(files)).toEqual(bytesOf(original));
  },
);

const TYPES = ["uint8", "uint32", "int32", "int64", "float32", "float64", "bool"] as const;

function columnOf(type: (typeof TYPES)[number], seeds: readonly number[]) {
  return (at: readonly number[]): PrimitiveColumn => {
    const seed = at.map((place) => seeds[place] ?? 0);
    switch (type) {
      case "uint8":
        return ints(Uint8Array.from(seed));
      case "uint32":
        return ints(Uint32Array.from(seed));
      case "int32":
        return ints(Int32Array.from(seed, (value) => value % 2 ** 31));
      case "int64":
        return ints(BigInt64Array.from(seed, (value) => BigInt(value)));
      case "float32":
        return floats(Float32Array.from(seed, (value) => value / 7 - 1000));
      case "float64":
        return floats(Float64Array.from(seed, (value) => value / 7 - 1000));
      case "bool":
        return bools(...seed.map((value) => value % 2 === 1));
      default:
        return type satisfies never;
    }
  };
}

/** What is stored of a value. */
function storedValue(type: (typeof TYPES)[number], seed: number): number {
  const [one] = columnOf(type, [seed])([0]).values;
  return Number(one);
}

describe("any matrix", () => {
  const size = fc.oneof(fc.constantFrom(0, 1), fc.nat(40));
  const matrices = fc.tuple(size, size).chain(([rows, columns]) => {
    const entry = fc.tuple(fc.nat(Math.max(0, rows - 1)), fc.nat(Math.max(0, columns - 1)));
    const most = rows === 0 || columns === 0 ? 0 : 400;
    return fc.record({
      shape: fc.constant([rows, columns] as const),
      places: fc.array(entry, { maxLength: most }),
      seeds: fc.array(fc.oneof(fc.nat(300), fc.nat(2 ** 32 - 1)), { minLength: 400, maxLength: 400 }),
      bits: fc.nat(32),
      type: fc.constantFrom(...TYPES),
      stored: fc.constantFrom("row" as const, "column" as const),
      wanted: fc.constantFrom("row" as const, "column" as const, undefined),
      layout: fc.constantFrom("lists" as const, "promised" as const, "coordinates" as const),
      packed: fc.boolean(),
      perBatch: fc.integer({ min: 1, max: 60 }),
    });
  });

  test("is read back as it was, sorted within its rows or columns, with what stands twice", () =>
    fc.assert(
      fc.asyncProperty(
        matrices,
        async ({ shape, places, seeds, bits, type, stored, wanted, layout, packed, perBatch }) => {
          const cut = seeds.map((seed) => seed % 2 ** bits);
          let entries: Entry[] = places.map(([row, col], at) => ({ row, col, at }));
          // Lists, and coordinates that promise an order, may still be unsorted within a row.
          const major = (entry: Entry) => (stored === "row" ? entry.row : entry.col);
          if (layout !== "coordinates") entries = entries.sort((a, b) => major(a) - major(b));
          const given = { values: columnOf(type, cut), perBatch };
          const matrix = { shape, entries };
          const promise = layout === "promised" ? { order: stored } : {};
          const order = layout === "lists" ? undefined : wanted;
          const source =
            layout === "lists" ? lists(matrix, stored, given) : coordinates(matrix, { ...given, ...promise });
          const { files } = await written({ matrix: source }, { packed, ...(order === undefined ? {} : { order }) });
          const found = await readBack(files);
          const result = order ?? (layout === "coordinates" ? "column" : stored);
          const key = ({ row, col }: Entry) => (result === "row" ? row * 1000 + col : col * 1000 + row);
          const expected = [...entries].sort((a, b) => key(a) - key(b));
          const kind = type === "float32" ? "float" : type === "float64" ? "double" : "uint";
          expect(found).toEqual({
            version: `${packed ? "packed" : "unpacked"}-${kind}-matrix-v2`,
            shape,
            order: result,
            row: expected.map((entry) => entry.row),
            col: expected.map((entry) => entry.col),
            value: expected.map((entry) => storedValue(type, cut[entry.at])),
            rowNames: null,
            colNames: null,
          });
        },
      ),
      draws(150),
    ));
});

const ofNumbers = (values: Float32Array | Float64Array) => (at: readonly number[]) =>
  floats(
    values instanceof Float32Array ? Float32Array.from(at, (i) => values[i]) : Float64Array.from(at, (i) => values[i]),
  );

describe("values", () => {
  const source = (values: (at: readonly number[]) => PrimitiveColumn) => ({
    matrix: coordinates(small, { values, order: "column" }),
  });

  test.each([
    [
      Float32Array.of(1, 0.5, 3),
      /matrix: value 0.5 of entry 1 is no whole number in 0 … 4294967295, which type uint holds; write it as type float/,
    ],
    [Float32Array.of(1, 2, -1), /value -1 of entry 2/],
    [Float32Array.of(Number.NaN, 2, 1), /value NaN of entry 0/],
    [Float32Array.of(1, 2 ** 32, 1), /value 4294967296 of entry 1/],
    [Float64Array.of(1, 2, 2 ** 32), /value 4294967296 of entry 2.*write it as type double/],
    [Float64Array.of(1, Number.POSITIVE_INFINITY, 2), /value Infinity of entry 1/],
  ])("%s are not unsigned integers", async (values, message) => {
    for (const packed of [true, false]) {
      await expect(written(source(ofNumbers(values)), { type: "uint", packed })).rejects.toThrow(message);
    }
  });

  test("integers that do not fit say what does", async () => {
    const int = (at: readonly number[]) => ints(Int32Array.from(at, (i) => [5, -7, 1][i]));
    await expect(written(source(int))).rejects.toThrow(/value -7 of entry 1 .* write it as type double/);
    const found = await readBack((await written(source(int), { type: "double" })).files);
    expect(found).toMatchObject({ version: "packed-double-matrix-v2", value: [5, -7, 1] });
  });

  test("a type that is not exact is refused, unless losses are allowed", async () => {
    const long = (at: readonly number[]) => ints(BigInt64Array.from(at, (i) => [1n, 2n ** 53n + 1n, 3n][i]));
    const message = /value 9007199254740993 of entry 1 is not exact as type double/;
    await expect(written(source(long), { type: "double" })).rejects.toThrow(message);
    const { files, warnings } = await written(source(long), { type: "double", lossy: true });
    expect((await readBack(files)).value).toEqual([1, 2 ** 53, 3]);
    expect(warnings).toEqual([expect.stringMatching(message)]);
    await expect(written(source(ofNumbers(Float64Array.of(0.1, 1, 2))), { type: "float" })).rejects.toThrow(
      /type float/,
    );
    const halves = await written(source(ofNumbers(Float64Array.of(0.5, -0, Number.NaN))), { type: "float" });
    expect((await readBack(halves.files)).value).toEqual([0.5, -0, Number.NaN]);
  });

  test("halves become floats", async () => {
    const half = (at: readonly number[]): PrimitiveColumn => ({
      ...{ layout: "primitive", type: { id: "Float", bits: 16 }, length: at.length, validity: null },
      values: Uint16Array.from(at, (i) => [0x3c00, 0xc100, 0x0001][i]),
    });
    const found = await readBack((await written(source(half))).files);
    expect(found).toMatchObject({ version: "packed-float-matrix-v2", value: [1, -2.5, 2 ** -24] });
  });

  test("missing values have no form but NaN, where losses are allowed", async () => {
    const missing = (at: readonly number[]) =>
      floats(
        Float32Array.from(at, (i) => i + 1),
        ...(at.length > 0 ? [1] : []),
      );
    await expect(written(source(missing))).rejects.toThrow(/1 of 3 values are missing.*NaN/);
    const { files, warnings } = await written(source(missing), { lossy: true });
    expect((await readBack(files)).value).toEqual([1, Number.NaN, 3]);
    expect(warnings).toEqual(["matrix: missing values are written as NaN"]);
    await expect(written(source(missing), { lossy: true, type: "uint" })).rejects.toThrow(/1 of 3 values are missing/);
  });

  test("text is no matrix", async () => {
    const columns = { row: ints(Int32Array.of(0)), col: ints(Int32Array.of(0)), value: text("a") };
    const matrix = table("matrix", [columns], { metadata: { kind: "coordinates", shape: [1, 1] } });
    await expect(written({ matrix })).rejects.toThrow(/a matrix of Utf8; BPCells holds numbers/);
  });
});

test("a dense matrix loses its zeros, not what is only close to them", async () => {
  const rows = fixedLists(3, floats(Float32Array.of(0, 1, -0, Number.NaN, 0, 0, 0, 0, 2)));
  const dense = table("matrix", [{ value: rows }], { metadata: { kind: "array" } });
  for (const order of ["row", "column"] as const) {
    const found = await readBack((await written({ matrix: dense }, { order })).files);
    const entries = found.row.map((row, i) => [row, found.col[i], found.value[i]]);
    const expected = [
      [0, 1, 1],
      [0, 2, -0],
      [1, 0, Number.NaN],
      [2, 2, 2],
    ];
    if (order === "column") expected.sort((a, b) => a[1] - b[1]);
    expect(entries).toEqual(expected);
    expect(found).toMatchObject({ order, shape: [3, 3], version: "packed-float-matrix-v2" });
  }
});

test("several matrices lie in groups of one HDF5 file, one of them at the root", async () => {
  const values = (at: readonly number[]) => ints(Uint32Array.from(at, (i) => i + 1));
  const matrix = coordinates(small, { values, order: "column" });
  const target = createBytesTarget();
  const encoder = inlineEncoder();
  const container = createHdf5(target, { encoder, compression: { kind: "none" } });
  const tables = new Map([
    ["matrix", matrix],
    ["rna/matrix", lists(small, "row", { values })],
    ["a/b/matrix", matrix],
    ["a/b/col_names", table("col_names", [{ value: names(2, "c") }])],
  ]);
  const { tables: found } = await writeBpcells(container, tables, { packed: false });
  await container.close();
  await target.commit();
  expect(found).toEqual([
    { name: "matrix", rows: 3 },
    { name: "rna/matrix", rows: 3 },
    { name: "a/b/matrix", rows: 3 },
    { name: "a/b/col_names", rows: 2 },
  ]);
  const data = await open(target.bytes());
  expect([...data.failures]).toEqual([]);
  expect([...data.tables.keys()].sort()).toEqual(["a/b/col_names", "a/b/matrix", "matrix", "rna/matrix"]);
  expect(data.table("rna/matrix").metadata).toMatchObject({ order: "row", version: "unpacked-uint-matrix-v2" });
  for (const name of ["matrix", "rna/matrix", "a/b/matrix"]) {
    const rows = (await data.table(name).read()).toArray().map((row) => [row.row, row.col, row.value]);
    expect(rows.sort()).toEqual([
      [0, 1, 2],
      [1, 1, 3],
      [2, 0, 1],
    ]);
  }
});
