/** Matrices as sheets of text, under the names of the dataset's observations and variables. */

import { createFlatFormatter } from "../arrow/apache/cell-text.js";
import type { BatchOptions, DataTable, TableSet } from "../model/dataset.js";
import type { WideCsvNames } from "../sinks/text/wide-csv.js";
import { toDataTable } from "../tables/given/table-forms.js";
import type { StoredTable } from "../tables/stored-table.js";
import { conversions } from "./formats.js";

type AnyTable = DataTable | StoredTable;

/** Bytes of the names that are read at once. */
const NAMES_BYTES = 2 ** 20;

/**
 * Each matrix among `tables` that is in the layout `dense` as a sheet with the names along its axes; other tables as they
 * are.
 * @throws {InvalidInputError} for a matrix of other than single values.
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

/** The names of the columns that the matrix itself has: a frame in `obsm` is none, but arrays may have them. */
async function ownNames(dense: DataTable): Promise<readonly string[] | null> {
  if (!dense.layouts.includes("columns")) return null;
  return (await dense.layout("columns")).schema.fields.map(({ name }) => name);
}

interface Index {
  /** What pandas calls the index; empty where it has no name. */
  readonly name: string;
  readonly values: (options: BatchOptions) => AsyncGenerator<readonly (string | null)[]>;
}

/** The index of the table that describes an axis; null where there is none. */
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
