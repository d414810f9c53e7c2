/** Some columns of a table as a table of their own, under other names where that is asked for. */

import type { ColumnBatch } from "../arrow/column.js";
import type { ArrowField } from "../arrow/type.js";
import type { TableMetadata } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "./column-table.js";

export interface ChosenColumn {
  /** Its place in the table. */
  readonly place: number;
  readonly field: ArrowField;
}

/** The table `name` of these columns; the others are not read where they can be left. */
export function chosenColumns(
  table: ColumnTable,
  name: string,
  columns: readonly ChosenColumn[],
  metadata: TableMetadata | null,
): ColumnTable {
  const alone = table.only?.(columns.map(({ place }) => place));
  const places = columns.map(({ place }, i) => (alone === undefined ? place : i));
  const { rows, repeatable, batches } = alone ?? table;
  return {
    ...plainListing(name, rows),
    ...{ repeatable, metadata },
    fields: columns.map(({ field }) => field),
    only: (fields) =>
      chosenColumns(
        table,
        name,
        fields.map((field) => columns[field]),
        metadata,
      ),
    async *batches(options): AsyncGenerator<ColumnBatch> {
      for await (const { length, columns: all } of batches.call(alone ?? table, options)) {
        yield { length, columns: places.map((place) => all[place]) };
      }
    },
  };
}

/** What tables that are made here have in common. */
export function plainListing(name: string, rows: number | null) {
  return {
    ...{ name, rows },
    schemaMetadata: new Map<string, string>(),
    derived: false,
    layouts: [],
    layout: () => Promise.reject(new InvalidInputError("columns have one layout", { element: name })),
  } as const;
}
