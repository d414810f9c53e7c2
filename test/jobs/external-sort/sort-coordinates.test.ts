import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Column, ColumnBatch, PrimitiveColumn } from "../../../src/arrow/column.js";
import { INT32 } from "../../../src/arrow/type.js";
import { sortCoordinates } from "../../../src/jobs/external-sort/sort-coordinates.js";
import { createTemporarySpill } from "../../../src/jobs/external-sort/spill.node.js";
import { isBitSet } from "../../../src/kernels/values/bitmap.js";
import { InvalidInputError, UnsupportedError } from "../../../src/model/errors.js";
import { type NumberArray, viewAsBytes } from "../../../src/model/stored.js";
import { draws } from "../../draws.js";
import { batchesOf, collect, column, type Entry, entriesOf, memorySpill, naivelySorted } from "./coordinate-batches.js";

const one = async function* (columns: readonly Column[], length = 2): AsyncGenerator<ColumnBatch> {
  yield { length, columns };
};
const flat = (entries: readonly Entry[]) => Buffer.from(Float64Array.from(entries.flat()).buffer);
const int32 = (...numbers: number[]) => column(Int32Array.from(numbers));
const float = { id: "Float", bits: 32 } as const;

describe("sorted entries", () => {
  /** Few distinct coordinates, many, or all of them far apart; some with one that most entries have. */
  const table = fc
    .tuple(fc.constantFrom(1, 3, 40, 2 ** 31), fc.constantFrom(1, 3, 40, 2 ** 31))
    .chain(([rows, cols]) => {
      const entry = fc.tuple(fc.nat(rows - 1), fc.nat(cols - 1));
      const often = fc.tuple(entry, fc.array(fc.option(entry, { freq: 2 }), { maxLength: 150, size: "max" }));
      return often.map(([frequent, entries]) => ({
        shape: [rows, cols] as const,
        entries: entries.map((found, i): Entry => [...(found ?? frequent), i]),
      }));
    });

  test("are the naive sort's, whatever fits into memory", async () => {
    const order = fc.constantFrom("row" as const, "column" as const);
    const budget = fc.constantFrom(1, 100, 700, 3000, 2 ** 20);
    await fc.assert(
      fc.asyncProperty(table, order, budget, fc.integer({ min: 1, max: 40 }), async (table, order, budget, size) => {
        const { shape, entries } = table;
        const spill = memorySpill();
        const options = { order, shape, budgetBytes: budget, spill };
        const found = entriesOf(await collect(sortCoordinates(batchesOf(entries, size), options)));
        expect(found).toEqual(naivelySorted(entries, order));
        // An entry takes 40 bytes: its 16 twice, and 8 to sort it by.
        expect(spill.appended > 0).toBe(entries.length > Math.max(1, Math.floor(budget / 40)));
        expect(spill.removed).toBe(spill.appended > 0 ? 1 : 0);
      }),
      draws(200),
    );
  });

  test("come in many batches, through a file", async () => {
    const count = 400_000;
    let state = 1;
    const next = (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const entries = Array.from({ length: count }, (_, i): Entry => [next(500), next(3000), i]);
    const folder = await mkdtemp(join(tmpdir(), "annarrow-sort-"));
    try {
      for (const [budgetBytes, batches] of [
        [2 ** 26, 2],
        [2 ** 22, 4],
      ]) {
        const spill = createTemporarySpill(folder);
        const options = { order: "column", shape: [500, 3000], budgetBytes, spill } as const;
        const found = await collect(sortCoordinates(batchesOf(entries, 50_000), options));
        expect(found.length).toBe(batches);
        expect(flat(entriesOf(found)).equals(flat(naivelySorted(entries, "column")))).toBe(true);
        expect(readdirSync(folder)).toEqual([]);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("are an empty batch of the same types where all batches are empty, and none where none came", async () => {
    const options = { order: "row", shape: [0, 0], spill: null } as const;
    const found = await collect(sortCoordinates(batchesOf([], 1), options));
    expect(found.map(({ length, columns }) => [length, columns[2].type])).toEqual([[0, { id: "Float", bits: 64 }]]);
    expect(await collect(sortCoordinates((async function* () {})(), options))).toEqual([]);
  });

  test("keep every bit of values of every width", async () => {
    const values = (type: PrimitiveColumn["type"], values: NumberArray): Column => {
      return { layout: "primitive", type, length: 2, validity: null, values };
    };
    const [first, second] = [column(Float32Array.of(1, 2), float), column(Float32Array.of(3, 4), float)];
    const complex = ["real", "imag"].map((name) => ({ name, type: float, nullable: false }));
    const struct: Column = {
      layout: "struct",
      type: { id: "Struct", fields: complex },
      length: 2,
      validity: null,
      children: [first, second],
    };
    const lists: Column = {
      layout: "fixed-size-list",
      type: { id: "FixedSizeList", size: 2, item: { name: "item", type: float, nullable: false } },
      length: 2,
      validity: null,
      child: column(Float32Array.of(1, 2, 3, 4), float),
    };
    // A signalling NaN, which arithmetic would make a quiet one.
    const signalling = new Float64Array(Uint32Array.of(1, 0x7ff00000, 5, 0).buffer);
    const columns: [Column, unknown[]][] = [
      [values({ id: "Bool" }, Uint8Array.of(0b01)), [0, 1]],
      [values({ id: "Int", bits: 8, signed: true }, Int8Array.of(-1, 2)), [2, 255]],
      [values({ id: "Float", bits: 16 }, Uint16Array.of(0x7e01, 1)), [1, 0, 1, 0x7e]],
      [values({ id: "Float", bits: 64 }, signalling), [5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0xf0, 0x7f]],
      [values({ id: "Timestamp", unit: "s" }, BigInt64Array.of(1n, 2n)), [2, ...zeros(7), 1, ...zeros(7)]],
      [values({ id: "FixedSizeBinary", width: 3 }, Uint8Array.of(1, 2, 3, 4, 5, 6)), [4, 5, 6, 1, 2, 3]],
      [lists, [...bytesOfFloats(3, 4), ...bytesOfFloats(1, 2)]],
      [struct, [...bytesOfFloats(2, 4), ...bytesOfFloats(1, 3)]],
    ];
    for (const [value, expected] of columns) {
      for (const [budgetBytes, count] of [
        [1, 2],
        [2 ** 20, 1],
      ]) {
        const options = { order: "row", shape: [2, 1], budgetBytes, spill: memorySpill() } as const;
        const found = await collect(sortCoordinates(one([int32(1, 0), int32(0, 0), value]), options));
        expect(found.map(({ columns }) => columns[2].type)).toEqual(new Array(count).fill(value.type));
        expect(found.flatMap(({ columns }) => bytesByEntry(columns[2]))).toEqual(expected);
      }
    }
  });

  const zeros = (count: number) => new Array<number>(count).fill(0);
  const bytesOfFloats = (...numbers: number[]) => Array.from(viewAsBytes(Float32Array.from(numbers)));

  /** The bytes of the first entry, then those of the next; booleans as one. */
  function bytesByEntry(column: Column): number[] {
    const parts =
      column.layout === "struct" ? column.children : [column.layout === "fixed-size-list" ? column.child : column];
    return Array.from({ length: column.length }, (_, i) =>
      parts.flatMap((part) => {
        if (part.layout !== "primitive") throw new TypeError(part.layout);
        const bytes = viewAsBytes(part.values);
        if (part.type.id === "Bool") return [isBitSet(bytes, i) ? 1 : 0];
        const width = bytes.length / column.length;
        return Array.from(bytes.subarray(i * width, (i + 1) * width));
      }),
    ).flat();
  }
});

describe("what cannot be sorted", () => {
  const options = { order: "row", shape: [5, 7], spill: null } as const;
  const sorted = (columns: readonly Column[], length?: number) =>
    collect(sortCoordinates(one(columns, length), options));
  const value = column(Float32Array.of(1, 2), float);

  test.each<[string, readonly Column[], string]>([
    ["a row out of range", [int32(0, 5), int32(0, 0), value], "row of entry 1 is 5, outside 0 … 4"],
    ["a negative column", [int32(0, 4), int32(0, -1), value], "col of entry 1 is -1, outside 0 … 6"],
    ["two columns", [int32(0, 4), int32(0, 1)], "the batch has 2 columns"],
    ["columns of two lengths", [int32(0, 4), int32(0), value], "a column of 1 in a batch of 2"],
    ["positions that are no integers", [value, int32(0, 1), value], "row is of type Float32, not of integers"],
  ])("%s", async (_, columns, message) => {
    await expect(sorted(columns)).rejects.toThrow(InvalidInputError);
    await expect(sorted(columns)).rejects.toThrow(message);
  });

  test("a null", async () => {
    const validity = { bitmap: Uint8Array.of(1), nullCount: 1 };
    await expect(sorted([{ ...int32(0, 1), validity }, int32(0, 1), value])).rejects.toThrow("row has 1 nulls");
    await expect(sorted([int32(0, 1), int32(0, 1), { ...value, validity }])).rejects.toThrow("1 of 2 values are null");
  });

  test("values whose width varies", async () => {
    const text: Column = {
      layout: "variable",
      type: { id: "Utf8" },
      length: 2,
      validity: null,
      offsets: Int32Array.of(0, 1, 2),
      bytes: Uint8Array.of(65, 66),
    };
    await expect(sorted([int32(0, 1), int32(0, 1), text])).rejects.toThrow(UnsupportedError);
    await expect(sorted([int32(0, 1), int32(0, 1), text])).rejects.toThrow("values of type Utf8 cannot be sorted");
  });

  test("a batch of another type than the first", async () => {
    async function* two(): AsyncGenerator<ColumnBatch> {
      yield { length: 2, columns: [int32(0, 1), int32(0, 1), value] };
      yield { length: 2, columns: [int32(0, 1), int32(0, 1), int32(0, 1)] };
    }
    const found = collect(sortCoordinates(two(), options));
    await expect(found).rejects.toThrow("the values are Float32 up to entry 1, and Int32 from there on");
  });

  test("an axis beyond 2^31, a budget of nothing", async () => {
    const with_ = (more: object) => collect(sortCoordinates(batchesOf([], 1), { ...options, ...more }));
    await expect(with_({ shape: [2 ** 31 + 1, 1] })).rejects.toThrow(
      "an axis of length 2147483649: at most 2147483648",
    );
    await expect(with_({ shape: [1, -1] })).rejects.toThrow("-1 is no length of an axis");
    await expect(with_({ budgetBytes: 0 })).rejects.toThrow("budgetBytes is 0, not above 0");
  });

  test("more than the budget, without a place for the rest", async () => {
    const entries = Array.from({ length: 30 }, (_, i): Entry => [i % 5, i % 7, i]);
    const found = collect(sortCoordinates(batchesOf(entries, 10), { ...options, budgetBytes: 800 }));
    await expect(found).rejects.toThrow(UnsupportedError);
    await expect(collect(sortCoordinates(batchesOf(entries, 10), { ...options, budgetBytes: 800 }))).rejects.toThrow(
      /more than 20 entries.*800 bytes.*give the entries in row order, or allow more memory/,
    );
  });
});

describe("a sort that ends early", () => {
  const entries = Array.from({ length: 300 }, (_, i): Entry => [(i * 7) % 5, i % 7, i]);
  const options = { order: "row", shape: [5, 7], budgetBytes: 800 } as const;

  test("leaves nothing behind where its consumer stops", async () => {
    const spill = memorySpill();
    for await (const batch of sortCoordinates(batchesOf(entries, 10), { ...options, spill })) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }
    expect([spill.appended > 0, spill.removed]).toEqual([true, 1]);
  });

  test("leaves nothing behind where its input throws", async () => {
    const spill = memorySpill();
    async function* broken() {
      yield* batchesOf(entries, 10);
      throw new Error("the input broke");
    }
    await expect(collect(sortCoordinates(broken(), { ...options, spill }))).rejects.toThrow("the input broke");
    expect([spill.appended > 0, spill.removed]).toEqual([true, 1]);
  });

  test("stops when the signal aborts, while it collects and while it hands out", async () => {
    for (const after of [3, 31]) {
      const spill = memorySpill();
      const controller = new AbortController();
      let seen = 0;
      const sees = () => {
        if (++seen === after) controller.abort();
      };
      async function* counted() {
        for await (const batch of batchesOf(entries, 10)) {
          sees();
          yield batch;
        }
      }
      const run = async () => {
        const sorted = sortCoordinates(counted(), { ...options, spill, signal: controller.signal });
        for await (const _ of sorted) sees();
      };
      await expect(run()).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
      expect(spill.removed).toBe(after > 3 ? 1 : 0);
    }
  });

  test("reports a spill that fails, when writing or reading", async () => {
    const full = () => Promise.reject(new InvalidInputError("no space left"));
    for (const failing of [{ append: full }, { read: full }]) {
      const spill = memorySpill();
      const sorted = sortCoordinates(batchesOf(entries, 10), { ...options, spill: { ...spill, ...failing } });
      await expect(collect(sorted)).rejects.toThrow("no space left");
      expect(spill.removed).toBe(1);
    }
  });
});

test("integers of other widths become Int32", async () => {
  const big: Column = {
    layout: "primitive",
    type: { id: "Int", bits: 64, signed: true },
    length: 2,
    validity: null,
    values: BigInt64Array.of(2n, 0n),
  };
  const options = { order: "row", shape: [3, 3], spill: null } as const;
  const [batch] = await collect(
    sortCoordinates(one([big, int32(1, 2), column(Float32Array.of(1, 2), float)]), options),
  );
  expect(batch.columns[0].type).toEqual(INT32);
  expect(entriesOf([batch])).toEqual([
    [0, 2, 2],
    [2, 1, 1],
  ]);
});
