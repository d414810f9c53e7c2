import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPickedArray } from "../../../src/containers/picked/picked-array.js";
import { toRowRanges } from "../../../src/containers/picked/row-ranges.js";
import type { StoredArray } from "../../../src/containers/tree/container.js";
import { listPlanArrays } from "../../../src/jobs/plan/plan.js";
import { CopyStorage } from "../../../src/jobs/reorder/copy-storage.js";
import { RowCopies } from "../../../src/jobs/reorder/row-copies.js";
import { countElements } from "../../../src/model/stored.js";
import { slowNested, storedType, storedValues } from "../../arrow/arbitrary-stored.js";
import type { Plain } from "../../arrow/plain.js";
import { draws } from "../../draws.js";
import { memoryArray, numbersArray } from "../../stored-array.js";
import { columnsPlan } from "../plans.js";
import { spillInMemory } from "./spill-in-memory.js";

async function plainRows(array: StoredArray, start: number, end: number): Promise<Plain[]> {
  const values = await array.read(start, end);
  const inner = (array.shape ?? []).slice(1);
  return Array.from({ length: end - start }, (_, i) => slowNested(array.type, values, inner, i));
}

/** The one array of a plan of one column. */
async function copyOf(array: StoredArray, copies: RowCopies): Promise<StoredArray> {
  const plan = columnsPlan({ kind: "array", array });
  const [copy] = listPlanArrays((await copies.ofPlan({ ...plan, fields: [] }, {})).plan);
  return copy;
}

const HEIGHT = 17;

describe("copies of picked rows", () => {
  const drawn = fc
    .record({ type: storedType, inner: fc.constantFrom<readonly number[]>([], [3]), chunk: fc.constantFrom(1, 4, 30) })
    .chain(({ type, inner, chunk }) =>
      fc.record({
        values: storedValues(type, HEIGHT * countElements(inner)),
        rows: fc.array(fc.nat(HEIGHT - 1), { maxLength: 25 }),
        type: fc.constant(type),
        inner: fc.constant(inner),
        chunk: fc.constant(chunk),
        memoryBytes: fc.constantFrom(0, 2 ** 20),
        blockBytes: fc.constantFrom(1, 40, 2 ** 20),
      }),
    );

  test("are the rows, in memory and in a spill, in every range", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, fc.nat(25), fc.nat(25), async (one, a, b) => {
        const { type, inner, values, rows, chunk, memoryBytes, blockBytes } = one;
        const array = memoryArray(type, [HEIGHT, ...inner], values, { chunks: [chunk, ...inner] });
        const copies = new RowCopies(new CopyStorage(spillInMemory(), memoryBytes), blockBytes);
        const copy = await copyOf(createPickedArray(array, toRowRanges(rows)), copies);
        const expected = rows.map((row) => slowNested(type, values, inner, row));
        expect(copy.shape).toEqual([rows.length, ...inner]);
        expect(await plainRows(copy, 0, rows.length)).toEqual(expected);
        const [start, end] = [Math.min(a, b), Math.max(a, b)].map((row) => Math.min(row, rows.length));
        expect(await plainRows(copy, start, end)).toEqual(expected.slice(start, end));
      }),
      draws(100),
    );
  });

  test("read every chunk once", async () => {
    const array = numbersArray(Float64Array.from({ length: 100 }, Math.random), { chunks: [10] });
    const rows = Array.from({ length: 100 }, (_, i) => (i * 37) % 100);
    const spill = spillInMemory();
    const copy = await copyOf(
      createPickedArray(array, toRowRanges(rows)),
      new RowCopies(new CopyStorage(spill, 0), 160),
    );
    const reads = array.reads.length;
    expect(array.reads.reduce((sum, [start, end]) => sum + end - start, 0)).toBe(100);
    expect(spill.bytes.length).toBe(800);
    await copy.read(0, 100);
    expect(array.reads.length).toBe(reads);
  });
});
