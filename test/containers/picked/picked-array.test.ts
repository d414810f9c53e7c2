import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMemoryArray as planned } from "../../../src/containers/picked/memory-array.js";
import { createPickedArray, openPickedArray } from "../../../src/containers/picked/picked-array.js";
import { toRowRanges } from "../../../src/containers/picked/row-ranges.js";
import type { ReadBoxChunks, StoredArray } from "../../../src/containers/tree/container.js";
import type { StoredChunks } from "../../../src/containers/tree/stored-chunks.js";
import { countElements, type StoredType, viewAsBytes } from "../../../src/model/stored.js";
import { slowNested, storedType, storedValues } from "../../arrow/arbitrary-stored.js";
import type { Plain } from "../../arrow/plain.js";
import { draws } from "../../draws.js";
import { type MemoryArray, memoryArray, numbersArray, typeOf } from "../../stored-array.js";

/** The rows [start, end) of an array, value by value. */
async function plainRows(array: StoredArray, start: number, end: number): Promise<Plain[]> {
  const values = await array.read(start, end);
  const inner = (array.shape ?? []).slice(1);
  return Array.from({ length: end - start }, (_, i) => slowNested(array.type, values, inner, i));
}

interface Drawn {
  readonly array: MemoryArray;
  readonly whole: readonly Plain[];
  readonly rows: readonly number[] | null;
  readonly cols: readonly number[] | null;
}

const HEIGHT = 13;
const inner = fc.constantFrom<readonly number[]>([], [1], [4], [2, 3], [0], [3, 0]);
const anyOf = (size: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.array(fc.nat(size - 1), { maxLength: 20 }) },
    fc.subarray([...Array(size).keys()]),
    fc.constant([...Array(size).keys()].reverse()),
  );

const drawn: fc.Arbitrary<Drawn> = fc
  .record({ type: storedType, inner, chunk: fc.constantFrom(null, 1, 3, 5, 13, 20) })
  .chain(({ type, inner: rest, chunk }) => {
    const [width] = rest;
    return fc
      .record({
        values: storedValues(type, HEIGHT * countElements(rest)),
        rows: fc.option(anyOf(HEIGHT), { freq: 6 }),
        cols: width === undefined || width === 0 ? fc.constant(null) : fc.option(anyOf(width), { freq: 2 }),
      })
      .map(({ values, rows, cols }) => {
        const shape = [HEIGHT, ...rest];
        const chunks = chunk === null ? {} : { chunks: [chunk, ...rest] };
        const whole = Array.from({ length: HEIGHT }, (_, i) => slowNested(type, values, rest, i));
        return { array: memoryArray(type, shape, values, chunks), whole, rows, cols };
      });
  });

/** The chosen rows and columns, out of all rows. */
function slowPart(whole: readonly Plain[], rows: Drawn["rows"], cols: Drawn["cols"]): Plain[] {
  const taken = rows === null ? [...whole] : rows.map((row) => whole[row]);
  if (cols === null) return taken;
  return taken.map((row) => {
    if (!Array.isArray(row)) throw new TypeError("only a matrix has columns");
    return cols.map((col): Plain => row[col]);
  });
}

const pick = (array: StoredArray, rows: Drawn["rows"], cols: Drawn["cols"]) =>
  createPickedArray(array, rows === null ? null : toRowRanges(rows), cols === null ? null : Int32Array.from(cols));

describe("picked rows and columns", () => {
  test("are rows and columns of the whole array, in every range", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, fc.nat(20), fc.nat(20), async ({ array, whole, rows, cols }, a, b) => {
        const part = pick(array, rows, cols);
        const expected = slowPart(whole, rows, cols);
        const [, ...rest] = array.shape ?? [];
        expect(part.shape).toEqual([expected.length, ...(cols === null ? rest : [cols.length, ...rest.slice(1)])]);
        expect(await plainRows(part, 0, expected.length)).toEqual(expected);
        const [start, end] = [Math.min(a, b), Math.max(a, b)].map((row) => Math.min(row, expected.length));
        expect(await plainRows(part, start, end)).toEqual(expected.slice(start, end));
        // One row after the other, from the chunk that is held.
        for (let row = 0; row < expected.length; row++) {
          expect(await plainRows(part, row, row + 1)).toEqual([expected[row]]);
        }
        for (const [from, to] of array.reads) expect([from >= 0, from <= to, to <= HEIGHT]).toEqual([true, true, true]);
      }),
      draws(100),
    );
  });

  test("are written to memory of the caller, wherever it lies, also by several reads at once", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ array, rows, cols }) => {
        const part = pick(array, rows, cols);
        const [count] = part.shape ?? [0];
        const { readInto } = part;
        if (readInto === undefined) return;
        const ranges = [
          [0, count],
          [count >> 1, count],
          [0, count >> 1],
        ];
        const found = await Promise.all(
          ranges.map(async ([start, end]) => {
            const values = await part.read(start, end);
            const bytes = values.kind === "fixed" ? viewAsBytes(values.values) : new Uint8Array(0);
            const target = new Uint8Array(bytes.length + 3).fill(7).subarray(3);
            await readInto(start, end, target);
            return [target, new Uint8Array(bytes)];
          }),
        );
        for (const [written, read] of found) expect(written).toEqual(read);
      }),
      draws(100),
    );
  });

  test("of picked rows and columns are picked out of the stored array", async () => {
    const twice = drawn.chain((one) => {
      const height = one.rows?.length ?? HEIGHT;
      const width = one.cols?.length ?? one.array.shape?.[1];
      return fc.record({
        one: fc.constant(one),
        rows: height === 0 ? fc.constant([]) : fc.option(anyOf(height)),
        cols:
          width === undefined || width === 0
            ? fc.constant(null)
            : width === 0
              ? fc.constant([])
              : fc.option(anyOf(width)),
      });
    });
    await fc.assert(
      fc.asyncProperty(twice, async ({ one: { array, whole, rows, cols }, rows: again, cols: colsAgain }) => {
        const part = pick(pick(array, rows, cols), again, colsAgain);
        const expected = slowPart(slowPart(whole, rows, cols), again, colsAgain);
        expect(await plainRows(part, 0, expected.length)).toEqual(expected);
      }),
      draws(100),
    );
  });

  test("that are all rows and columns are the array", () => {
    const array = numbersArray(Int32Array.of(1, 2));
    expect(createPickedArray(array, null, null)).toBe(array);
  });

  test("of an array with a plan have a plan, from which the part is opened elsewhere", async () => {
    const int: StoredType = { kind: "int", bits: 32, signed: true };
    const values = Int32Array.from({ length: 12 }, (_, i) => i);
    const source = { kind: "file", path: "a.h5", identity: "" } as const;
    const array = planned("a", int, [4, 3], { kind: "fixed", values }, source);
    const part = pick(array, [3, 0, 3], [2, 0]);
    const { plan } = part;
    if (plan?.container !== "picked") throw new TypeError("a plan of picked rows was expected");
    const opened = await openPickedArray(structuredClone(plan.array), async () => array);
    expect(await opened.read(0, 3)).toEqual({ kind: "fixed", values: Int32Array.of(11, 9, 2, 0, 11, 9) });
    expect(pick(numbersArray(values), [1], null).plan).toBeUndefined();
  });
});

/** A matrix in chunks along both axes, as HDF5 and Zarr have them. */
function inChunks(array: StoredArray, chunks: readonly [number, number], boxes: string[]): StoredArray {
  const [height = 0, width = 0] = array.shape ?? [];
  const blocks: ReadBoxChunks = async ({ rows, cols }, visit) => {
    const read = await array.read(0, height);
    if (read.kind !== "fixed") throw new TypeError("numbers were expected");
    const size = read.values.byteLength / (height * width);
    for (let row = rows[0] - (rows[0] % chunks[0]); row < rows[1]; row += chunks[0]) {
      for (let col = cols[0] - (cols[0] % chunks[1]); col < cols[1]; col += chunks[1]) {
        const [top, left] = [Math.max(row, rows[0]), Math.max(col, cols[0])];
        const [bottom, right] = [Math.min(row + chunks[0], rows[1]), Math.min(col + chunks[1], cols[1])];
        boxes.push(`${Math.floor(row / chunks[0])} ${Math.floor(col / chunks[1])}`);
        // The chunk of the last row is not stored: its values are zero.
        if (row + chunks[0] >= height) continue;
        const bytes = viewAsBytes(read.values).subarray((top * width + left) * size);
        visit({ row: top, col: left, rows: bottom - top, cols: right - left, stride: width, bytes });
      }
    }
  };
  return { ...array, chunks, capabilities: { blocks } };
}

describe("columns of a matrix in chunks", () => {
  const [height, width] = [11, 13];
  const anyRows = fc.option(anyOf(height), { freq: 4 });
  const anyCols = fc.oneof(fc.array(fc.nat(width - 1), { maxLength: 8 }), fc.subarray([...Array(width).keys()]));

  test("are read from the chunks that hold some of them, each once", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRows,
        anyCols,
        fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 })),
        fc.constantFrom(Uint8Array, Float32Array, BigInt64Array),
        async (rows, cols, chunks, Values) => {
          const values = new Values(height * width);
          for (let i = 0; i < values.length; i++) values[i] = Values === BigInt64Array ? BigInt(i + 1) : i + 1;
          const boxes: string[] = [];
          const type = typeOf(values);
          const stored = inChunks(memoryArray(type, [height, width], { kind: "fixed", values }), chunks, boxes);
          const part = pick(stored, rows, cols);
          const unwritten = height - (height % chunks[0] || chunks[0]);
          const wanted = (rows ?? [...Array(height).keys()]).map((row) =>
            cols.map((col) => (row >= unwritten ? 0 : row * width + col + 1)),
          );
          const read = await part.read(0, wanted.length);
          if (read.kind !== "fixed") throw new TypeError("numbers were expected");
          expect(Array.from<number | bigint, number>(read.values, Number)).toEqual(
            wanted.flat().map((value) => (Values === Uint8Array ? value & 255 : value)),
          );
          const held = new Set(
            (rows ?? [...Array(height).keys()]).flatMap((row) =>
              cols.map((col) => `${Math.floor(row / chunks[0])} ${Math.floor(col / chunks[1])}`),
            ),
          );
          expect(boxes.sort()).toEqual([...held].sort());
        },
      ),
      draws(200),
    );
  });
});

describe("reads", () => {
  const numbers = (length: number, chunk?: number) =>
    numbersArray(
      Float64Array.from({ length }, (_, i) => i),
      chunk === undefined ? {} : { chunks: [chunk] },
    );

  test("only chunks that hold chosen rows, and whole ones", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(99), { maxLength: 12 }), fc.constantFrom(1, 7, 10, 100), async (rows, chunk) => {
        const array = numbers(100, chunk);
        await pick(array, rows, null).read(0, rows.length);
        const chunks = new Set(rows.map((row) => Math.floor(row / chunk)));
        const read = array.reads.flatMap(([start, end]) => {
          expect(start % chunk).toBe(0);
          expect(end === 100 || end % chunk === 0).toBe(true);
          return Array.from({ length: Math.ceil((end - start) / chunk) }, (_, i) => start / chunk + i);
        });
        expect(read.sort((a, b) => a - b)).toEqual([...chunks].sort((a, b) => a - b));
      }),
    );
  });

  test("each chunk once where the rows rise, however few are asked for at a time", async () => {
    const array = numbers(100, 10);
    const rows = [2, 5, 5, 9, 31, 33, 38, 95];
    const part = pick(array, rows, null);
    for (let row = 0; row < rows.length; row++) {
      expect(await part.read(row, row + 1)).toEqual({ kind: "fixed", values: Float64Array.of(rows[row]) });
    }
    expect(array.reads).toEqual([
      [0, 10],
      [30, 40],
      [90, 100],
    ]);
  });

  test("neighbours at once, and rows that lie far apart one by one, where an array has no chunks", async () => {
    const array = numbers(100_000);
    await pick(array, [0, 1, 2, 50_000, 99_999], null).read(0, 5);
    expect(array.reads).toEqual([
      [0, 3],
      [50_000, 50_001],
      [99_999, 100_000],
    ]);
  });

  test("nothing for no rows, wherever they would begin", async () => {
    const array = numbers(3, 2);
    const part = pick(array, [0, 0, 0, 1, 2, 2], null);
    expect(await part.read(6, 6)).toEqual({ kind: "fixed", values: new Float64Array(0) });
    for (const [start, end] of array.reads) expect([start, end]).toEqual([0, 0]);
    expect(await pick(array, [], null).read(0, 0)).toEqual({ kind: "fixed", values: new Float64Array(0) });
  });

  test.each([
    [-1, 2],
    [0, 4],
    [2, 1],
    [4, 4],
    [Number.NaN, 2],
  ])("of rows %d to %d of three are named errors", async (start, end) => {
    const array = numbers(10, 4);
    const part = pick(array, [9, 0, 9], null);
    await expect(part.read(start, end)).rejects.toMatchObject({
      tag: "InvalidInputError",
      element: "array",
      problem: `rows ${start} to ${end} of 3`,
    });
    expect(array.reads).toEqual([]);
  });

  test("end with the signal", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(pick(numbers(10, 2), [9, 0], null).read(0, 2, { signal })).rejects.toThrow("enough");
  });
});

describe("the stored chunks of picked rows", () => {
  /** Chunks of three rows, which are files. */
  const storedChunks: StoredChunks = {
    ...{ container: "zarr3", chunk: [3], codecs: [], behindValues: [] },
    find: async ({ bands: [start, end] = [0, 4] } = {}) => ({
      ...{ count: end - start, skipsCodecs: false, checkUnchanged: async () => undefined },
      async *pieces() {
        for (let place = start; place < end; place++) yield { kind: "file", place, locate: async () => null };
      },
    }),
  };

  test.each([
    [undefined, ["file 0", "file 1", "bytes 2"]],
    [[0, 2] as const, ["file 0", "file 1"]],
    [[1, 3] as const, ["file 1", "bytes 2"]],
  ])("in the bands %j", async (bands, expected) => {
    const values = Float64Array.from({ length: 12 }, (_, i) => i);
    const whole = planned("array", typeOf(values), [12], { kind: "fixed", values });
    const array: StoredArray = { ...whole, chunks: [3], capabilities: { storedChunks } };
    const found = await pick(array, [3, 4, 5, 6, 7, 8, 9], null).capabilities?.storedChunks?.find({ bands });
    expect(found?.count).toBe(expected.length);
    const places: string[] = [];
    for await (const piece of found?.pieces(true) ?? []) {
      const all = piece.kind === "file" ? [piece.place] : piece.chunks.map(({ place }) => place);
      for (const place of all) places.push(`${piece.kind} ${place}`);
    }
    expect(places).toEqual(expected);
  });
});
