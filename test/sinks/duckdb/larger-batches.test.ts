/** Batches are joined to larger ones with the same rows. */

import {
  RecordBatch as Batch,
  Bool,
  DateMillisecond,
  Field,
  Float64,
  Int64,
  List,
  makeBuilder,
  makeData,
  type RecordBatch,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeSmallBatches } from "../../../src/sinks/duckdb/larger-batches.js";

const SCHEMA = new Schema([
  new Field("number", new Float64(), true),
  new Field("long", new Int64(), true),
  new Field("text", new Utf8(), true),
  new Field("truth", new Bool(), true),
]);

type Row = readonly [number | null, bigint | null, string | null, boolean | null];

function batchOf(rows: readonly Row[], schema = SCHEMA): RecordBatch {
  const children = schema.fields.map(({ type }, i) => {
    const builder = makeBuilder({ type, nullValues: [null] });
    for (const row of rows) builder.append(row[i]);
    return builder.finish().flush();
  });
  return new Batch(schema, makeData({ type: new Struct(schema.fields), length: rows.length, nullCount: 0, children }));
}

async function* each(batches: readonly RecordBatch[]) {
  yield* batches;
}

async function joined(schema: Schema, batches: readonly RecordBatch[]): Promise<RecordBatch[]> {
  const found: RecordBatch[] = [];
  for await (const batch of mergeSmallBatches(schema, each(batches))) found.push(batch);
  return found;
}

const rowsOf = (batches: readonly RecordBatch[]) =>
  batches.flatMap((batch) =>
    Array.from({ length: batch.numRows }, (_, row) => batch.data.children.map((_, i) => batch.getChildAt(i)?.get(row))),
  );

const anyRow = fc.tuple(
  fc.option(fc.double(), { nil: null }),
  fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { nil: null }),
  fc.option(fc.string({ unit: "grapheme" }), { nil: null }),
  fc.option(fc.boolean(), { nil: null }),
);

describe("largerBatches", () => {
  test("gives the same rows in one batch", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(anyRow, { minLength: 1, maxLength: 20 }), { minLength: 1 }), async (parts) => {
        const found = await joined(
          SCHEMA,
          parts.map((rows) => batchOf(rows)),
        );
        expect(found.length).toBe(1);
        expect(found[0].schema).toEqual(SCHEMA);
        expect(rowsOf(found)).toEqual(parts.flat());
      }),
      { numRuns: 50 },
    );
  });

  test("ends a batch at 65,536 rows, or at 4 MiB", async () => {
    const rows: Row[] = Array.from({ length: 2048 }, (_, i) => [i, BigInt(i), "", true]);
    const narrow = await joined(SCHEMA, Array(40).fill(batchOf(rows)));
    expect(narrow.map(({ numRows }) => numRows)).toEqual([65_536, 16_384]);
    const long: Row[] = Array.from({ length: 64 }, () => [0, 0n, "x".repeat(2 ** 15), true]);
    const wide = await joined(SCHEMA, Array(5).fill(batchOf(long)));
    expect(wide.map(({ numRows }) => numRows)).toEqual([128, 128, 64]);
  });

  test.each([
    ["nested columns", new List(new Field("item", new Float64(), true)), [[1], [2, 3]]],
    ["dates in milliseconds", new DateMillisecond(), [new Date(0), new Date(86_400_000)]],
  ])("leaves %s as they are", async (_, type, values) => {
    const schema = new Schema([new Field("a", type, true)]);
    const [data] = vectorFromArray(values, type).data;
    const batch = new Batch(
      schema,
      makeData({ type: new Struct(schema.fields), length: 2, nullCount: 0, children: [data] }),
    );
    const found = await joined(schema, [batch, batch]);
    expect(found.map((one) => one === batch)).toEqual([true, true]);
  });

  test("gives no batch where there is none", async () => {
    expect(await joined(SCHEMA, [])).toEqual([]);
  });
});
