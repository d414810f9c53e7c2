/** Reads the inputs and the files of a plan once more, and compares them. */

import { createHash } from "node:crypto";
import type { OpenOptions } from "annarrow";
import { InvalidDataError } from "annarrow";
import type { Column, ColumnBatch } from "annarrow/core/arrow";
import { computeColumnSum } from "annarrow/core/arrow";
import { findOutOfRangeIndex, findUnsortedEntry } from "annarrow/core/kernels";
import type { IntArray } from "annarrow/core/model";
import { runWithLocation } from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import { getIntValues, readColumnsAt, toColumnTable } from "annarrow/core/tables";
import { openBytes, openStored } from "annarrow/node/api";
import { openInput } from "./inputs.node.js";
import type { PlannedInput, UnionPlan } from "./plan-document.js";
import type { UnionPart } from "./report-document.js";
import type { UnionStore } from "./store.js";
import { checkPlanned } from "./task.node.js";
import { getUnionAccess } from "./union-options.js";

/**
 * Compares the files of a plan with its inputs. Checks checksums and rows, and for matrices also the order, the
 * positions and the sum of the values.
 * @throws {InvalidDataError} for the first difference. The message contains the file and both numbers.
 */
export async function verifyParts(
  plan: UnionPlan,
  parts: readonly UnionPart[],
  store: UnionStore,
  options: OpenOptions = {},
): Promise<void> {
  const access = getUnionAccess(options);
  const byDataset = new Map<string, UnionPart[]>(plan.inputs.map(({ id }) => [id, []]));
  for (const part of parts) byDataset.get(part.dataset)?.push(part);
  for (const planned of plan.inputs) {
    const sums = new Map<string, Sum>();
    for (const part of byDataset.get(planned.id) ?? []) {
      options.signal?.throwIfAborted();
      const path = `${store.name}/${part.file}`;
      await runWithLocation({ source: path }, async () => {
        await checkBytes(path, part, access);
        const sum = await checkRows(path, part, plan, access);
        if (part.sum !== undefined) sums.set(part.table, added(sums.get(part.table) ?? NOTHING, sum));
      });
    }
    await checkSums(sums, planned, plan, options);
  }
}

/** A sum of values, and the sum of their absolute values, which bounds the rounding error. */
interface Sum {
  readonly value: number;
  readonly size: number;
}

const NOTHING: Sum = { value: 0, size: 0 };

function added(a: Sum, b: Sum): Sum {
  return { value: a.value + b.value, size: a.size + b.size };
}

/** True if two sums may come from the same numbers in any order. NaN and infinite sums always match. */
function areEqual(a: number, b: number, { size }: Sum): boolean {
  return !(Math.abs(a - b) > size * 2 ** -36);
}

function sumOf(column: Column): Sum {
  const value = computeColumnSum(column);
  if (column.layout !== "primitive" || column.type.id !== "Float") return { value, size: Math.abs(value) };
  const { values, length } = column;
  let size = 0;
  if (values instanceof Float32Array || values instanceof Float64Array) {
    for (let i = 0; i < length; i++) size += Math.abs(values[i]);
    return { value, size };
  }
  if (!(values instanceof Uint16Array)) throw new TypeError("floats expected");
  // A 16-bit float is stored as its bits. The highest bit is the sign.
  return { value, size: computeColumnSum({ ...column, values: values.map((bits) => bits & 0x7fff) }) };
}

/** Bytes of a file read at once. */
const PIECE = 2 ** 23;

async function checkBytes(path: string, { bytes, sha256 }: UnionPart, options: OpenOptions): Promise<void> {
  const read = readOptions(options);
  const source = await openBytes(path, options);
  try {
    const hash = createHash("sha256");
    for (let at = 0; at < bytes; at += PIECE) {
      hash.update(await source.read(at, Math.min(at + PIECE, bytes), read));
    }
    const found = hash.digest("hex");
    if (found !== sha256) throw wrong(`its SHA-256 is ${found}, expected ${sha256}`);
  } finally {
    await source.close?.();
  }
}

/** @returns the sum of the matrix values; 0 for other tables. */
async function checkRows(path: string, part: UnionPart, plan: UnionPlan, options: OpenOptions): Promise<Sum> {
  const dataset = await openStored(path, { ...options, companion: "off" });
  try {
    const [opened] = dataset.tables.values();
    const table = await toColumnTable(opened);
    const check = part.sum === undefined ? null : entriesCheck(part.range, plan);
    let [rows, sum] = [0, NOTHING];
    for await (const batch of table.batches(readOptions(options))) {
      rows += batch.length;
      if (check === null) continue;
      check(batch);
      sum = added(sum, sumOf(batch.columns[2]));
    }
    if (rows !== part.rows) throw wrong(`${rows} rows, expected ${part.rows}`);
    if (typeof part.sum === "number") checkSum(sum.value, part.sum, sum);
    return sum;
  } finally {
    await dataset.close();
  }
}

/** Returns a check for batches of entries: they must be sorted, and within the file's rows and the features. */
function entriesCheck([first, end]: UnionPart["range"], { features, order }: UnionPlan): (batch: ColumnBatch) => void {
  let last: readonly [outer: number, inner: number] = [0, 0];
  return ({ columns, length }) => {
    if (length === 0) return;
    const rows = localRows(first, end - first, getIntValues(columns[0], "row", ""));
    const cols = getIntValues(columns[1], "col", "");
    const outside = findOutOfRangeIndex(rows, end - first);
    if (outside >= 0) throw wrong("an entry lies outside its rows");
    if (findOutOfRangeIndex(cols, features.count) >= 0) throw wrong("an entry lies outside the features");
    const [outer, inner] = order === "csr" ? [rows, cols] : [cols, rows];
    const next = [Number(outer[0]), Number(inner[0])] as const;
    const isLate = next[0] < last[0] || (next[0] === last[0] && next[1] < last[1]);
    if (isLate || findUnsortedEntry(outer, inner) >= 0) throw wrong(`its entries are not in the order ${order}`);
    last = [Number(outer[length - 1]), Number(inner[length - 1])];
  };
}

/** Returns the rows of entries relative to the first row of their file, or -1 for rows outside the file. */
function localRows(first: number, count: number, rows: IntArray): Int32Array {
  if (!(rows instanceof BigInt64Array)) throw wrong("its rows are not Int64");
  const words = new Int32Array(rows.buffer, rows.byteOffset, 2 * rows.length);
  const local = new Int32Array(rows.length);
  for (let i = 0; i < local.length; i++) {
    const row = words[2 * i + 1] * 2 ** 32 + (words[2 * i] >>> 0) - first;
    local[i] = row >= 0 && row < count ? row : -1;
  }
  return local;
}

async function checkSums(
  sums: ReadonlyMap<string, Sum>,
  planned: PlannedInput,
  plan: UnionPlan,
  options: OpenOptions,
): Promise<void> {
  const input = await openInput(planned.source, plan, options);
  try {
    await checkPlanned(input, planned);
    for (const [name, written] of sums) {
      const table = input.tables.get(name);
      if (table === undefined) continue;
      let stored = NOTHING;
      for await (const column of valuesOf(table, options)) stored = added(stored, sumOf(column));
      await runWithLocation({ source: planned.source, element: name }, async () => {
        checkSum(written.value, stored.value, stored);
      });
    }
    await input.checkUnchanged();
  } finally {
    await input.close();
  }
}

/** Yields the stored values of any matrix. If possible, entry positions are not read. */
async function* valuesOf(table: ColumnTable, options: OpenOptions): AsyncGenerator<Column> {
  const place = table.fields.findIndex(({ name }) => name === "value");
  const isEntries = place === 2 && table.fields.length === 3;
  const places = isEntries ? [place] : table.fields.map((_, i) => i);
  for await (const { columns } of readColumnsAt(table, places, { reuse: true, ...readOptions(options) })) {
    for (const column of columns) yield column.layout === "fixed-size-list" ? column.child : column;
  }
}

function checkSum(found: number, expected: number, sum: Sum): void {
  if (areEqual(found, expected, sum)) return;
  throw wrong(`the sum of the values in its files is ${found}, expected ${expected}`);
}

function wrong(problem: string): InvalidDataError {
  return new InvalidDataError(`${problem}: run its task again`);
}

function readOptions({ signal }: OpenOptions): { readonly signal?: AbortSignal } {
  return { signal };
}
