/** Rows that only a shape declares: a file of a few bytes can name any number. */

import { expect, test } from "vitest";
import { InvalidInputError, UnsupportedError } from "../../../src/model/errors.js";
import { readTableBatches } from "../../../src/tables/rows.js";
import { ListCounts } from "../../../src/tables/sparse/list-counts.js";
import { floats, ints, table, tableOf } from "../tables.js";
import { written } from "./write.js";

const empty = { row: ints(new Int32Array(0)), col: ints(new Int32Array(0)), value: floats(new Float32Array(0)) };
const matrix = (rows: number, columns: number) =>
  table("X", [empty], { metadata: { kind: "csr_matrix", shape: [rows, columns], order: "row" } });
const ROWS = 300_001;

test("names of positions are made piece by piece", async () => {
  const { out } = await written([matrix(ROWS, 2)]);
  expect(out.at("obs/_index").values).toEqual(Array.from({ length: ROWS }, (_, i) => String(i)));
  expect(out.at("obs/_index").writes).toBeGreaterThan(2);
  expect(out.at("var/_index").values).toEqual(["0", "1"]);
  expect(out.at("X/indptr").values).toHaveLength(ROWS + 1);
  expect(out.at("X/indptr").writes).toBeGreaterThan(1);
});

test("a batch without columns comes in pieces, whatever number of rows it declares", async () => {
  const frame = tableOf("obs", [], [{ length: 2 ** 40, columns: [] }], { rows: 2 ** 40 });
  const lengths: number[] = [];
  const done: number[] = [];
  const progress = (_: string, rows: number) => done.push(rows);
  for await (const { length } of readTableBatches(frame, { signal: undefined, progress })) {
    lengths.push(length);
    if (lengths.length === 3) break;
  }
  expect(Math.max(...lengths)).toBeLessThanOrEqual(2 ** 17);
  expect(done).toEqual([0, lengths[0], lengths[0] + lengths[1]]);
});

test("more positions than a file can stand for are refused", async () => {
  const many = 2 ** 26 + 1;
  const refused = written([matrix(many, 0)]);
  await expect(refused).rejects.toBeInstanceOf(InvalidInputError);
  await expect(refused).rejects.toThrow(/^obs: 67108865 rows without names or columns.*--lossy/);
});

test("counts of a compressed axis have a limit, and take no memory before it", () => {
  const axes = [null, null] as const;
  const counted = (rows: number) => new ListCounts({ shape: [rows, 1], order: "row", axes }, "X");
  expect(counted(2 ** 28).pointerCount).toBe(2 ** 28 + 1);
  expect(() => counted(2 ** 32 - 1)).toThrow(UnsupportedError);
  expect(() => counted(2 ** 32 - 1)).toThrow("X: a sparse matrix of 4294967295 rows");
});
