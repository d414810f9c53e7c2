import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RaggedForm } from "../../../src/arrow/ragged/form.js";
import type { StoredArray } from "../../../src/containers/tree/container.js";
import type { ColumnPlan, TablePlan } from "../../../src/jobs/plan/plan.js";
import { getColumnType } from "../../../src/jobs/rows/columns.js";
import type { JobRows, Task } from "../../../src/jobs/rows/task.js";
import { cutJobs } from "../../../src/jobs/run/cut.js";
import { TaskRunner } from "../../../src/jobs/run/runner.js";
import { memoryArray, numbersArray, textArray } from "../../stored-array.js";
import { sparse, sparsePlan } from "../plans.js";

function taskOf({ plan, fields, text }: Pick<TablePlan, "plan" | "fields" | "text">): Task {
  return {
    rows: plan,
    fields,
    selected: fields.map((_, i) => i),
    text,
    request: { kind: "encoded", encoder: "parquet", options: { compression: "none" }, batchBytes: 2 ** 26 },
  };
}

const columnsTask = (...columns: ColumnPlan[]): Task =>
  taskOf({
    plan: { kind: "columns", columns },
    fields: columns.map((column, i) => ({ name: String(i), type: getColumnType(column), nullable: true })),
    text: "error",
  });

async function cut(task: Task, rows: JobRows) {
  const found = await cutJobs(task, rows, (await TaskRunner.create(task)).state);
  if (found === null) return null;
  const jobs: JobRows[] = [];
  for await (const job of found.jobs) jobs.push(job);
  return { ...found, jobs };
}

/** An array of any length of which nothing may be read. */
function unread(length: number, chunk: number | null, bits: 8 | 32 = 32): StoredArray {
  const array = memoryArray({ kind: "int", bits, signed: true }, [length], {
    kind: "fixed",
    values: new Int32Array(0),
  });
  const read = () => Promise.reject(new Error("nothing is to be read"));
  return { ...array, chunks: chunk === null ? null : [chunk], read };
}

const matrix = (nnz: number, chunk: number | null, other = chunk) =>
  taskOf(
    sparsePlan({
      shape: [10, 10],
      order: "row",
      nnz,
      data: unread(nnz, chunk),
      indices: unread(nnz, other),
      indptr: unread(11, null),
    }),
  );

describe("the jobs of a coordinate table", () => {
  test("follow each other, and end where chunks do", async () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 20_000_000 }), fc.integer({ min: 1, max: 3_000_000 }));
    await fc.assert(
      fc.asyncProperty(sizes, fc.double({ min: 0, max: 1, noNaN: true }), async ([nnz, chunk], part) => {
        const start = Math.floor(part * nnz);
        const found = await cut(matrix(nnz, chunk), [start, nnz]);
        const bounds = found?.jobs.flat() ?? [];
        expect([bounds[0], bounds.at(-1)]).toEqual(start === nnz ? [undefined, undefined] : [start, nnz]);
        for (let i = 1; i + 1 < bounds.length; i += 2) {
          expect(bounds[i]).toBe(bounds[i + 1]);
          expect(bounds[i] % chunk).toBe(0);
        }
        for (const [from, to] of found?.jobs ?? [])
          expect(to - from).toBeLessThanOrEqual(Math.max(1.5 * 2 ** 20, chunk));
      }),
    );
  });

  test("end where the larger ones of two kinds of chunks do", async () => {
    const found = await cut(matrix(5_000_000, 1000, 300_000), [0, 5_000_000]);
    expect(found?.jobs[0]).toEqual([0, 900_000]);
  });

  test("of chunks that take too much memory for several threads are for one", async () => {
    expect(await cut(matrix(2 ** 26, 2 ** 20), [0, 2 ** 26])).toMatchObject({ parallel: true });
    expect(await cut(matrix(2 ** 26, 2 ** 24), [0, 2 ** 26])).toMatchObject({ parallel: false });
  });

  test("are none where there are no rows", async () => {
    expect(await cut(matrix(0, 100), [0, 0])).toMatchObject({ jobs: [], parallel: false });
  });
});

test("the jobs of the list layout have about the same number of entries", async () => {
  const lengths = Array.from({ length: 4000 }, (_, i) => (i === 7 ? 3_000_000 : 1000));
  const pointers = [0];
  for (const length of lengths) pointers.push(pointers[pointers.length - 1] + length);
  const nnz = pointers[4000];
  const plan = sparsePlan(
    {
      ...sparse("row", [4000, 10], {
        data: Int8Array.of(),
        indices: Int8Array.of(),
        indptr: Float64Array.from(pointers),
      }),
      indptr: numbersArray(Int32Array.from(pointers)),
      nnz,
      data: unread(nnz, 1000, 8),
      indices: unread(nnz, 1000),
    },
    "list",
  );
  const found = await cut(taskOf(plan), [0, 4000]);
  expect(found?.jobs.slice(0, 3).map(([from, to]) => to - from)[1]).toBe(1);
  for (const [from, to] of found?.jobs ?? []) {
    expect(to - from === 1 || pointers[to] - pointers[from] <= 2 ** 23 / 5).toBe(true);
  }
});

describe("the jobs of a dataframe", () => {
  const ROWS = 300_000;

  test("have fewer rows where text is long, as its first rows show", async () => {
    const short = textArray(Array.from({ length: ROWS }, () => "ab"));
    const long = textArray(Array.from({ length: ROWS }, () => "x".repeat(400)));
    const [few, many] = await Promise.all(
      [short, long].map((array) => cut(columnsTask({ kind: "array", array }), [0, ROWS])),
    );
    expect(few?.jobs).toHaveLength(1);
    expect(many?.jobs.length).toBeGreaterThan(10);
    expect(long.reads).toEqual([[0, 1024]]);
  });

  test("do not heed the chunks of categories", async () => {
    const codes = unread(20_000_000, 1 << 18, 8);
    const categories = numbersArray(Int32Array.of(1, 2, 3), { chunks: [3] });
    const plan: ColumnPlan = {
      kind: "categorical",
      codes: { kind: "array", array: codes },
      categories: { kind: "array", array: categories },
      ordered: false,
    };
    const found = await cut(columnsTask(plan), [0, 20_000_000]);
    expect(found?.jobs[0]).toEqual([0, 2 ** 20]);
  });

  test("are none where rows depend on the rows before", async () => {
    const array = numbersArray(Int8Array.of(1));
    const form: RaggedForm = { class: "NumpyArray", key: "node0", type: array.type, innerShape: [] };
    const plan: ColumnPlan = { kind: "ragged", form, length: 1, buffers: new Map([["node0-data", array]]) };
    expect(await cut(columnsTask(plan), [0, 1])).toBeNull();
  });
});
