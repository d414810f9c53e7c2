/** Coordinate tables for tests: batches from entries, entries from batches, and the obvious sort. */

import type { Column, ColumnBatch } from "../../../src/arrow/column.js";
import { type ArrowType, INT32 } from "../../../src/arrow/type.js";
import type { Spill } from "../../../src/jobs/external-sort/spill.js";

export type Entry = readonly [row: number, col: number, value: number];

export function column(values: Int32Array | Float32Array | Float64Array, type: ArrowType = INT32): Column {
  if (type.id !== "Int" && type.id !== "Float") throw new TypeError(`no numbers: ${type.id}`);
  return { layout: "primitive", type, length: values.length, validity: null, values };
}

/** Batches of `size` entries, at least one. */
export async function* batchesOf(entries: readonly Entry[], size: number): AsyncGenerator<ColumnBatch> {
  for (let at = 0; at < Math.max(1, entries.length); at += size) {
    const part = entries.slice(at, at + size);
    const [row, col] = [0, 1].map((i) => column(Int32Array.from(part, (entry) => entry[i])));
    const value = column(
      Float64Array.from(part, (entry) => entry[2]),
      { id: "Float", bits: 64 },
    );
    yield { length: part.length, columns: [row, col, value] };
  }
}

/** Values of a column of numbers. */
export function numbersOf(one: Column): number[] {
  if (one.layout !== "primitive") throw new TypeError(`no numbers: ${one.layout}`);
  return Array.from<number | bigint, number>(one.values, Number);
}

export async function collect(batches: AsyncIterable<ColumnBatch>): Promise<ColumnBatch[]> {
  const found: ColumnBatch[] = [];
  for await (const batch of batches) found.push(batch);
  return found;
}

export function entriesOf(batches: readonly ColumnBatch[]): Entry[] {
  return batches.flatMap(({ columns, length }) => {
    const [row, col, value] = columns.map(numbersOf);
    return Array.from({ length }, (_, i): Entry => [row[i], col[i], value[i]]);
  });
}

/** Array.prototype.sort is stable. */
export function naivelySorted(entries: readonly Entry[], order: "row" | "column"): Entry[] {
  const [first, second] = order === "row" ? [0, 1] : [1, 0];
  return [...entries].sort((a, b) => a[first] - b[first] || a[second] - b[second]);
}

/** A spill in memory that gives nothing at once, and counts. */
export function memorySpill(): Spill & { appended: number; removed: number } {
  let bytes = new Uint8Array(0);
  const spill = {
    name: "memory",
    appended: 0,
    removed: 0,
    async append(parts: readonly Uint8Array[]) {
      await Promise.resolve();
      const offset = bytes.length;
      bytes = Uint8Array.from([bytes, ...parts].flatMap((part) => Array.from(part)));
      spill.appended++;
      return offset;
    },
    async read(offset: number, target: Uint8Array) {
      await Promise.resolve();
      if (offset + target.length > bytes.length) throw new Error(`${offset + target.length} of ${bytes.length} bytes`);
      target.set(bytes.subarray(offset, offset + target.length));
    },
    async remove() {
      bytes = new Uint8Array(0);
      spill.removed++;
    },
  };
  return spill;
}
