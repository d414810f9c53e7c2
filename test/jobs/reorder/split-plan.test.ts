import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SplitColumns } from "../../../src/containers/picked/split-columns.js";
import { groupArrays } from "../../../src/containers/picked/split-lists.js";
import type { BoxChunk, MatrixBox, StoredArray } from "../../../src/containers/tree/container.js";
import { splitMatrix } from "../../../src/jobs/reorder/split-columns.js";
import { splitLists } from "../../../src/jobs/reorder/split-lists.js";
import { createMinorMap } from "../../../src/kernels/sparse/minor-map.js";
import { groupMap } from "../../../src/kernels/sparse/split-lists.js";
import { type NumberArray, viewAsBytes } from "../../../src/model/stored.js";
import { draws } from "../../draws.js";
import { memoryArray, typeOf } from "../../stored-array.js";
import { sparse } from "../plans.js";
import { spillInMemory } from "./spill-in-memory.js";

/** Positions of an axis by their group, and where the groups end. No group is empty. */
const grouped = (size: number) =>
  fc.array(fc.nat(4), { minLength: size, maxLength: size }).map((groups) => {
    const used = [...new Set(groups)];
    const members = used.map((group) => groups.flatMap((own, position) => (own === group ? [position] : [])));
    const ends = members.map((_, i) => members.slice(0, i + 1).flat().length);
    return { members, map: groupMap(Int32Array.from(members.flat()), Int32Array.from(ends), size) };
  });

const kinds = [Int8Array, Uint16Array, Float32Array, Float64Array, BigInt64Array] as const;

function numbersOf(kind: (typeof kinds)[number], length: number): NumberArray {
  const values = new kind(length);
  for (let i = 0; i < length; i++) values[i] = values instanceof BigInt64Array ? BigInt(i * 3) : i * 3;
  return values;
}

async function valuesOf(array: StoredArray, start: number, end: number): Promise<(number | bigint)[]> {
  const read = await array.read(start, end);
  if (read.kind !== "fixed") throw new TypeError("numbers expected");
  return [...read.values];
}

const WIDTH = 11;
const HEIGHT = 7;

describe("the columns of a dense matrix, group by group,", () => {
  const drawn = fc.record({
    kind: fc.constantFrom(...kinds),
    chunks: fc.constantFrom(null, [1, 4], [3, 2], [4, WIDTH]),
    tileBytes: fc.constantFrom(1, 60, 2 ** 20),
    groups: grouped(WIDTH),
    range: fc.tuple(fc.nat(HEIGHT), fc.nat(HEIGHT)),
  });

  test("are the picked columns, in every range of rows, and are read once", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ kind, chunks, tileBytes, groups: { members, map }, range }) => {
        const all = numbersOf(kind, WIDTH * HEIGHT);
        const stored = memoryArray(
          typeOf(all),
          [HEIGHT, WIDTH],
          { kind: "fixed", values: all },
          chunks ? { chunks } : {},
        );
        const visited = new Uint8Array(WIDTH * HEIGHT);
        const array = { ...stored, capabilities: { blocks: blocksOf(all, chunks ?? [1, 1], visited) } };
        const split = await splitMatrix(array, map, spillInMemory(), {}, tileBytes);
        const read = stored.reads.reduce((sum, [start, end]) => sum + end - start, 0) * WIDTH;
        expect(read + visited.reduce((sum, times) => sum + times, 0)).toBe(WIDTH * HEIGHT);
        const [start, end] = range.toSorted((a, b) => a - b);
        for (const [group, cols] of members.entries()) {
          const part = new SplitColumns(array, split, group);
          const rows = Array.from({ length: end - start }, (_, i) => start + i);
          expect(part.shape).toEqual([HEIGHT, cols.length]);
          expect(await valuesOf(part, start, end)).toEqual(
            rows.flatMap((row) => cols.map((col) => all[row * WIDTH + col])),
          );
        }
      }),
      draws(200),
    );
  });
});

/** Reads boxes chunk by chunk, and counts how often each value is visited. */
function blocksOf(all: NumberArray, [chunkRows, chunkCols]: readonly number[], visited: Uint8Array) {
  const bytes = viewAsBytes(all);
  const size = all.BYTES_PER_ELEMENT;
  return async ({ rows, cols }: MatrixBox, visit: (block: BoxChunk) => void) => {
    for (let row = rows[0]; row < rows[1]; row += chunkRows) {
      for (let col = cols[0]; col < cols[1]; col += chunkCols) {
        const block = { row, col, rows: Math.min(chunkRows, rows[1] - row), cols: Math.min(chunkCols, cols[1] - col) };
        for (let i = 0; i < block.rows; i++) {
          for (let k = 0; k < block.cols; k++) visited[(row + i) * WIDTH + col + k]++;
        }
        visit({ ...block, stride: WIDTH, bytes: bytes.subarray((row * WIDTH + col) * size) });
      }
    }
  };
}

describe("the entries of a sparse matrix, group by group,", () => {
  const lists = fc.array(fc.uniqueArray(fc.nat(WIDTH - 1)), { maxLength: 12 });
  const drawn = fc.record({
    kind: fc.constantFrom(...kinds),
    chunk: fc.constantFrom(1, 5, 40),
    lists,
    groups: grouped(WIDTH),
    range: fc.tuple(fc.nat(100), fc.nat(100)),
  });

  test("are the entries at the picked positions, in every range, and are read once", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async (one) => {
        const { matrix, groups } = await split(one);
        const { members } = one.groups;
        expect(matrix.data.reads.reduce((sum, [start, end]) => sum + end - start, 0)).toBe(one.lists.flat().length);
        for (const [group, positions] of members.entries()) {
          const expected = slow(one.lists, positions);
          const { data, indices, indptr, nnz } = groups[group];
          expect(nnz).toBe(expected.flat().length);
          const [start, end] = one.range.map((at) => Math.min(at, nnz)).toSorted((a, b) => a - b);
          const values = numbersOf(one.kind, one.lists.flat().length);
          expect(await valuesOf(indices, start, end)).toEqual(
            expected
              .flat()
              .slice(start, end)
              .map(({ to }) => to),
          );
          expect(await valuesOf(data, start, end)).toEqual(
            expected
              .flat()
              .slice(start, end)
              .map(({ at }) => values[at]),
          );
          const pointers = [0, ...expected.map((_, i) => expected.slice(0, i + 1).flat().length)];
          const [first, last] = one.range.map((at) => Math.min(at, pointers.length)).toSorted((a, b) => a - b);
          expect(await valuesOf(indptr, first, last)).toEqual(pointers.slice(first, last));
        }
      }),
      draws(200),
    );
  });

  test("of a part that has some minor positions in another order", async () => {
    const matrix = matrixOf({ kind: Float32Array, chunk: 3, lists: [[0, 3, 5], [], [1, 5, 8]] });
    // The part has the positions 5, 0 and 8, of which the groups take the first and the last, and the second.
    const map = groupMap(Int32Array.of(0, 2, 1), Int32Array.of(2, 3), 3);
    const minor = createMinorMap([5, 0, 8], WIDTH);
    const spill = spillInMemory();
    const blocks = await splitLists({ matrix, minor, text: "error" }, map, spill, {});
    const [first, second] = [0, 1].map((group) => groupArrays(matrix, spill, blocks, group));
    expect([await valuesOf(first.indptr, 0, 4), await valuesOf(first.indices, 0, 3)]).toEqual([
      [0, 1, 1, 3],
      [0, 0, 1],
    ]);
    expect(await valuesOf(first.data, 0, 3)).toEqual([6, 12, 15]);
    expect([await valuesOf(second.indptr, 0, 4), await valuesOf(second.data, 0, 1)]).toEqual([[0, 1, 1, 1], [0]]);
  });
});

type Lists = readonly (readonly number[])[];

function matrixOf({ kind, chunk, lists }: { kind: (typeof kinds)[number]; chunk: number; lists: Lists }) {
  const pointers = [0, ...lists.map((_, i) => lists.slice(0, i + 1).flat().length)];
  const indices = Int32Array.from(lists.flat());
  return sparse(
    "row",
    [lists.length, WIDTH],
    { data: numbersOf(kind, indices.length), indices, indptr: Int32Array.from(pointers) },
    chunk,
  );
}

async function split(
  one: Parameters<typeof matrixOf>[0] & { groups: { members: number[][]; map: ReturnType<typeof groupMap> } },
) {
  const matrix = matrixOf(one);
  const spill = spillInMemory();
  const blocks = await splitLists({ matrix, text: "error" }, one.groups.map, spill, {});
  return { matrix, groups: one.groups.members.map((_, group) => groupArrays(matrix, spill, blocks, group)) };
}

/** The entries of each list at the positions: where they are stored, and their new positions. */
function slow(lists: Lists, positions: readonly number[]) {
  let before = 0;
  return lists.map((list) => {
    const first = before;
    before += list.length;
    return list.flatMap((position, i) => {
      const to = positions.indexOf(position);
      return to < 0 ? [] : [{ at: first + i, to }];
    });
  });
}
