/**
 * Converts between the three forms of a table: a plan over stored arrays, Arrow batches for the user, and columns for
 * writers.
 */

import type { ColumnBatch } from "../../arrow/column.js";
import type { DataTable } from "../../model/dataset.js";
import type { ColumnBatchOptions, ColumnTable } from "../column-table.js";
import { findSparseLists } from "../sparse/stored-lists.js";
import { StoredTable } from "../stored-table.js";

/**
 * Adds apache-arrow's schema and record batches to a stored table. Loads apache-arrow, which stored tables themselves
 * do not need. Other tables already have a schema and record batches.
 */
export async function toDataTable(table: DataTable | StoredTable): Promise<DataTable> {
  if (!(table instanceof StoredTable)) return table;
  const { PlannedTable } = await import("../planned-table.js");
  return new PlannedTable(table);
}

/**
 * Converts a table to the form that writers accept. A table from an opened file is read without Arrow objects; for
 * other tables, apache-arrow is loaded.
 * @param mostUnwritten maximum bytes of values that the file declares but does not store; unlimited by default.
 */
export async function toColumnTable(
  table: DataTable | StoredTable,
  mostUnwritten: number | null = null,
): Promise<ColumnTable> {
  const limited = (stored: StoredTable) => (mostUnwritten === null ? stored : stored.limited(mostUnwritten));
  if (table instanceof StoredTable) return toStoredColumnTable(limited(table));
  const { PlannedTable } = await import("../planned-table.js");
  if (table instanceof PlannedTable) return toStoredColumnTable(limited(table.stored));
  const { ColumnDataTable } = await import("../column-data-table.js");
  if (table instanceof ColumnDataTable) return table.columns;
  return (await import("./arrow-column-table.js")).convertInputToColumns(table);
}

/** Returns the stored table behind an opened file's table; null for other tables. */
export async function findUnderlyingTable(table: DataTable | StoredTable): Promise<StoredTable | null> {
  if (table instanceof StoredTable) return table;
  const { PlannedTable } = await import("../planned-table.js");
  return table instanceof PlannedTable ? table.stored : null;
}

/**
 * Converts a stored table to the form that writers accept, without any Arrow object.
 * @param only positions of the fields that are read; all by default.
 */
export function toStoredColumnTable(table: StoredTable, only?: readonly number[]): ColumnTable {
  const schemaMetadata = new Map(table.schemaMetadata);
  schemaMetadata.delete("annarrow");
  async function* batches({ reuse = false, ...how }: ColumnBatchOptions = {}): AsyncGenerator<ColumnBatch> {
    const options = { ...how, fields: only };
    const batchBytes = reuse ? table.reusedBatchBytes : table.batchBytes;
    for await (const part of table.parts({ kind: "batches", batchBytes, reuse }, options)) {
      if (part.kind !== "batches") throw new TypeError("batches were asked for");
      yield* part.batches;
    }
  }
  return {
    name: table.name,
    fields: only?.map((place) => table.fields[place]) ?? table.fields,
    metadata: table.metadata,
    schemaMetadata,
    rows: table.rows,
    derived: table.derived,
    origin: table.origin === null ? null : { dataset: table.origin, name: table.name },
    asRead: only === undefined ? table.asRead : null,
    repeatable: true,
    layouts: only === undefined ? table.layouts : [],
    layout: async (layout) => toStoredColumnTable(await table.layout(layout)),
    async placed(minor) {
      const moved = only === undefined ? table.placed(minor) : null;
      return moved === null ? null : toStoredColumnTable(moved);
    },
    rowsAt: async (positions) =>
      only === undefined ? toStoredColumnTable(await table.part(positions, null, table.origin)) : null,
    only: (fields) => toStoredColumnTable(table, only === undefined ? fields : fields.map((place) => only[place])),
    stored:
      only === undefined
        ? {
            rows: table.rowsPlan,
            batches,
            lists: () => findSparseLists(table),
            noRows: (fields, options = {}) => table.noRows({ ...options, fields }),
          }
        : undefined,
    batches,
  };
}
