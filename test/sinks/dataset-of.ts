/** Datasets made of Arrow tables in memory, as `open` would give them. */

import { type RecordBatch, Schema, type Table } from "apache-arrow";
import type { DataTable, TableSet } from "../../src/model/dataset.js";
import { InvalidDataError, NotFoundError } from "../../src/model/errors.js";
import { toElementMetadata } from "../../src/model/table-metadata.js";
import { readTable } from "../../src/tables/record-batch.js";

export interface TableOptions {
  readonly kind?: string;
  readonly axis?: "row" | "col";
  /** Rows of one batch; the table's own batches by default. */
  readonly batchRows?: number;
  /** Thrown after this many batches. */
  readonly failsAfter?: number;
}

export function tableOf(name: string, table: Table, options: TableOptions = {}): DataTable {
  const metadata = toElementMetadata({ kind: options.kind ?? "dataframe" });
  const schema = new Schema(table.schema.fields, new Map([["annarrow", JSON.stringify(metadata)]]));
  const made: DataTable = {
    name,
    schema,
    rows: table.numRows,
    metadata,
    derived: false,
    axis: options.axis ?? null,
    layouts: [],
    layout: async () => made,
    async *batches({ columns, rows, signal } = {}) {
      const selected = columns === undefined ? table : table.select([...columns]);
      let count = 0;
      for (const batch of cut(selected, rows ?? [0, table.numRows], options.batchRows)) {
        signal?.throwIfAborted();
        if (count++ === options.failsAfter) throw new InvalidDataError("the file ends here");
        yield batch;
      }
    },
    read: (read) => readTable(made, read),
  };
  return made;
}

function* cut(table: Table, [start, end]: readonly [number, number], size = Number.POSITIVE_INFINITY) {
  const part = table.slice(start, end);
  const batches: RecordBatch[] =
    part.batches.length > 0 ? part.batches : table.batches.map((batch) => batch.slice(0, 0));
  for (const batch of batches) {
    if (batch.numRows <= size) yield batch;
    else for (let at = 0; at < batch.numRows; at += size) yield batch.slice(at, Math.min(at + size, batch.numRows));
  }
}

export function datasetOf(tables: readonly DataTable[], options: Partial<TableSet> = {}): TableSet {
  const byName = new Map(tables.map((table) => [table.name, table]));
  return {
    format: "anndata",
    version: "0.1.0",
    container: "hdf5",
    shape: [3, 2],
    source: "made.h5ad",
    tables: byName,
    failures: new Map(),
    warnings: [],
    table(name) {
      const table = byName.get(name);
      if (table === undefined) throw new NotFoundError(`no table "${name}"`);
      return table;
    },
    close: async () => undefined,
    ...options,
  };
}

/** All chunks as one array. */
export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk.slice());
  return new Uint8Array(Buffer.concat(all));
}

export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.from(await bytesOf(chunks)).toString("utf8");
}
