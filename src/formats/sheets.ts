/** Writes matrices as text sheets that contain the names of the dataset's observations and variables. */

import { createFlatFormatter } from "../arrow/apache/cell-text.js";
import type { BatchOptions, DataTable, TableSet } from "../model/dataset.js";
import type { WideCsvNames } from "../sinks/text/wide-csv.js";
import { toDataTable } from "../tables/given/table-forms.js";
import type { StoredTable } from "../tables/stored-table.js";
import { conversions } from "./formats.js";

type AnyTable = DataTable | StoredTable;

/** Size in bytes of the names that are read at a time. */
const NAMES_BYTES = 2 ** 20;

/**
 * Returns each matrix among `tables` that has the layout `dense` as a sheet with the names along both axes, and other
 * tables unchanged.
 * @throws {InvalidInputError} for a matrix whose elements are not single values.
 */
export async function toWideCsv(
  dataset: TableSet<AnyTable>,
  tables: readonly AnyTable[],
): Promise<readonly AnyTable[]> {
  const { axesOf } = await conversions.of(dataset.format);
  const { toWideCsvTable } = await import("../sinks/text/wide-csv.js");
  const sheets: AnyTable[] = [];
  for (const table of tables) {
    if (table.layouts[0] !== "dense") {
      sheets.push(table);
      continue;
    }
    const [rows, columns] = axesOf(table.name);
    const named = { rows: await indexOf(dataset, rows), columns: await indexOf(dataset, columns) };
    const dense = await toDataTable(table);
    const names: WideCsvNames = {
      corner: named.rows?.name ?? "",
      rows: named.rows === null ? null : named.rows.values,
      columns: named.columns === null ? await ownNames(dense) : await all(named.columns.values({})),
    };
    sheets.push(toWideCsvTable(dense, names));
  }
  return sheets;
}

/**
 * Returns the column names stored in the matrix itself, which an array may have. A frame in `obsm` does not count as a
 * matrix.
 */
async function ownNames(dense: DataTable): Promise<readonly string[] | null> {
  if (!dense.layouts.includes("columns")) return null;
  return (await dense.layout("columns")).schema.fields.map(({ name }) => name);
}

interface Index {
  /** The name of the index in pandas; empty if it has no name. */
  readonly name: string;
  readonly values: (options: BatchOptions) => AsyncGenerator<readonly (string | null)[]>;
}

/** Returns the index of the table that describes an axis; null if there is none. */
async function indexOf({ tables }: TableSet<AnyTable>, axis: string | null): Promise<Index | null> {
  const found = axis === null ? undefined : tables.get(axis);
  if (found === undefined || found.metadata.kind !== "dataframe") return null;
  const { index } = found.metadata;
  if (typeof index !== "string") return null;
  const table = await toDataTable(found);
  return {
    // anndata stores an index without a name as `_index`.
    name: index === "_index" ? "" : index,
    async *values(options) {
      for await (const batch of table.batches({ ...options, columns: [index], batchBytes: NAMES_BYTES })) {
        const text = createFlatFormatter(batch.data.children[0]);
        yield Array.from({ length: batch.numRows }, (_, row) => text(row));
      }
    },
  };
}

async function all(parts: AsyncIterable<readonly (string | null)[]>): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const part of parts) for (const name of part) names.push(name ?? "");
  return names;
}
