/** Small random datasets, with copies of their tables in native DuckDB. */

import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  Dictionary,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int8,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import { open, write } from "../../packages/published/src/index.js";
import type { Dataset } from "../../src/model/dataset.js";
import { parquetFile } from "../../src/sinks/parquet/parquet.js";
import { addPositionColumn } from "../../src/tables/table-columns.js";
import { bytesOf } from "../sinks/dataset-of.js";

export const FORMS = ["csr", "csc", "dense"] as const;
export type Form = (typeof FORMS)[number];

/** Numbers in [0, 1), equal for equal seeds. */
export type Random = () => number;

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function oneOf<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)];
}

export interface RandomDataset {
  readonly dataset: Dataset;
  readonly form: Form;
  readonly rows: number;
  readonly cols: number;
}

/** A dataset whose values are quarters, so that sums are exact in any order. */
export async function randomDataset(random: Random, form: Form): Promise<RandomDataset> {
  const [rows, cols] = [1 + Math.floor(random() * 60), 1 + Math.floor(random() * 25)];
  const store = new Map<string, Uint8Array>();
  const index = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i}`);
  const sometimes = <T>(count: number, value: (i: number) => T) =>
    Array.from({ length: count }, (_, i) => (random() < 0.2 ? null : value(i)));
  const quarters = () => Math.floor(random() * 40) / 4 - 2;
  const orNaN = (count: number) => sometimes(count, quarters).map((value) => value ?? Number.NaN);
  const obs = new Table({
    _index: vectorFromArray(index("cell", rows), new Utf8()),
    kind: vectorFromArray(
      sometimes(rows, () => oneOf(random, ["a", "b", "it's", "é "])),
      new Dictionary(new Utf8(), new Int32()),
    ),
    n: vectorFromArray(orNaN(rows), new Float64()),
    k: vectorFromArray(
      sometimes(rows, () => Math.floor(random() * 6)),
      new Int32(),
    ),
    stage: orderedCategories(
      sometimes(rows, () => Math.floor(random() * 3)),
      STAGES,
    ),
    note: vectorFromArray(
      Array.from({ length: rows }, () => oneOf(random, ["", "x", "xy", "row<5 AND", "ü"])),
      new Utf8(),
    ),
  });
  const genes = new Table({
    _index: vectorFromArray(index("gene", cols), new Utf8()),
    symbol: vectorFromArray(
      Array.from({ length: cols }, () => oneOf(random, ["CD3E", "CD4", "MT-1", "S"])),
      new Utf8(),
    ),
    score: vectorFromArray(orNaN(cols), new Float64()),
  });
  const points = matrixOf(random, rows, 2, quarters);
  await write(store, {
    X: form === "dense" ? matrixOf(random, rows, cols, quarters) : entriesOf(random, form, [rows, cols], quarters),
    "layers/counts": entriesOf(random, "csr", [rows, cols], quarters),
    "obsm/points": points,
    obs,
    var: genes,
  });
  return { dataset: await open(store), form, rows, cols };
}

/** Ordered categories. */
export const STAGES = ["late", "early", "middle"];
/** The type that native DuckDB has for them. */
export const STAGE_ENUM = `enum (${STAGES.map((name) => `'${name}'`).join(", ")})`;

/** Categories whose order is not the alphabet's: native DuckDB has them as an ENUM. */
function orderedCategories(codes: readonly (number | null)[], names: readonly string[]): Vector {
  const type = new Dictionary(new Utf8(), new Int8(), null, true);
  const dictionary = vectorFromArray(names, new Utf8());
  const valid = Uint8Array.from({ length: Math.ceil(codes.length / 8) });
  codes.forEach((code, i) => {
    if (code !== null) valid[i >> 3] |= 1 << (i & 7);
  });
  const data = Int8Array.from(codes, (code) => code ?? 0);
  const nullCount = codes.filter((code) => code === null).length;
  return new Vector([makeData({ type, length: codes.length, nullCount, nullBitmap: valid, data, dictionary })]);
}

function matrixOf(random: Random, rows: number, width: number, value: () => number): Table {
  const values = Float32Array.from({ length: rows * width }, () => (random() < 0.6 ? 0 : value()));
  const type = new FixedSizeList(width, new Field("item", new Float32(), false));
  const child = makeData({ type: new Float32(), length: values.length, nullCount: 0, data: values });
  const lists = makeData({ type, length: rows, nullCount: 0, child });
  const schema = new Schema([new Field("value", type, false)]);
  const struct = makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children: [lists] });
  return new Table([new RecordBatch(schema, struct)]);
}

function entriesOf(random: Random, form: "csr" | "csc", shape: readonly [number, number], value: () => number): Table {
  const [major, minor] = form === "csr" ? shape : [shape[1], shape[0]];
  const [majors, minors, values]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < major; i++) {
    for (let j = 0; j < minor; j++) {
      if (random() < 0.7) continue;
      majors.push(i);
      minors.push(j);
      values.push(value());
    }
  }
  const [row, col] = form === "csr" ? [majors, minors] : [minors, majors];
  const columns: Record<string, Vector> = {
    row: vectorFromArray(row, new Int32()),
    col: vectorFromArray(col, new Int32()),
    value: vectorFromArray(values, new Float32()),
  };
  const metadata = { kind: `${form}_matrix`, shape, order: form === "csr" ? "row" : "column" };
  const table = new Table(columns);
  const fields = table.schema.fields.map(({ name, type }) => new Field(name, type, false));
  const schema = new Schema(fields, new Map([["annarrow", JSON.stringify(metadata)]]));
  return new Table(
    schema,
    table.batches.map((batch) => new RecordBatch(schema, batch.data)),
  );
}

/** Gives the tables to native DuckDB by way of Parquet files, a dense `X` as coordinates. */
export async function copyToNative(
  { dataset, form }: RandomDataset,
  connection: DuckDBConnection,
  folder: string,
): Promise<void> {
  for (const [index, name] of ["X", "layers/counts", "obsm/points", "obs", "var"].entries()) {
    const stored = dataset.table(name);
    const table = addPositionColumn(name === "X" && form === "dense" ? await stored.layout("coordinate") : stored);
    // DuckDB keeps parts of files, and knows a file that is written anew within the same second no more.
    const file = join(folder, `${index}-${randomUUID()}.parquet`);
    writeFileSync(file, await bytesOf(parquetFile(table)));
    await connection.run(`create or replace table "${name}" as from '${file}'`);
    rmSync(file);
  }
}
