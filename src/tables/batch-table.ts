/** The members of `DataTable` that all tables share, and tables that consist of batches or override another table. */

import type { RecordBatch, Schema, Table } from "apache-arrow";
import type { BatchOptions, DataTable, Layout, TableMetadata } from "../model/dataset.js";
import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import { type ElementMetadata, toElementMetadata } from "../model/table-metadata.js";
import { getRowAxis } from "./axes.js";
import { readTable } from "./record-batch.js";

/** The properties of a table apart from its columns and rows. */
export interface TableProperties extends Pick<DataTable, "name" | "rows" | "derived" | "axis" | "layouts"> {
  readonly metadata: TableMetadata;
}

/** A table that is read as batches. Subclasses add the schema, the batches and other layouts. */
export abstract class BatchTable implements DataTable {
  readonly #is: TableProperties;
  readonly #source: string | undefined;

  /** @param source is named in the errors of `read`. */
  constructor(properties: TableProperties, source?: string) {
    this.#is = properties;
    this.#source = source;
  }

  get name(): string {
    return this.#is.name;
  }

  get rows(): number | null {
    return this.#is.rows;
  }

  get metadata(): ElementMetadata {
    return toElementMetadata(this.#is.metadata);
  }

  get derived(): boolean {
    return this.#is.derived;
  }

  get axis(): "row" | "col" | null {
    return this.#is.axis;
  }

  get layouts(): readonly Layout[] {
    return this.#is.layouts;
  }

  abstract get schema(): Schema;

  abstract layout(layout: Layout): Promise<DataTable>;

  abstract batches(options?: BatchOptions): AsyncIterable<RecordBatch>;

  read(options: BatchOptions = {}): Promise<Table> {
    return readTable(this, options).catch((error: unknown) => {
      throw isAnnarrowError(error) ? error.locate({ source: this.#source }) : error;
    });
  }
}

/**
 * Creates a table from batches. Members that are not given default to those of a dataframe without an axis, in one
 * layout.
 * @param form the description of the table's layout in errors.
 */
export function createBatchTable(
  members: Pick<DataTable, "name" | "schema" | "batches"> & Partial<DataTable>,
  form = "batches have one form",
): DataTable {
  const table: DataTable = {
    rows: null,
    metadata: { kind: "dataframe" },
    derived: false,
    axis: null,
    layouts: [],
    layout: async (layout) => {
      throw new InvalidInputError(`no layout ${layout}: ${form}`, { element: table.name });
    },
    read: (options) => readTable(table, options),
    ...members,
  };
  return table;
}

/**
 * Returns `table` with other members. If the batches are replaced, `read` reads them; other layouts still come from
 * `table`.
 */
export function overrideTable(table: DataTable, members: Partial<DataTable>): DataTable {
  const { name, schema, rows, metadata, derived, axis, layouts } = table;
  return createBatchTable({
    ...{ name, schema, rows, metadata, derived, axis, layouts },
    layout: (layout) => table.layout(layout),
    batches: (options) => table.batches(options),
    ...(members.batches === undefined && { read: (options) => table.read(options) }),
    ...members,
  });
}

/** Returns the table under another name; its axis, layouts and rows stay the same. */
export function renameTable(table: DataTable, name: string): DataTable {
  if (table.name === name) return table;
  return overrideTable(table, { name, layout: async (layout) => renameTable(await table.layout(layout), name) });
}

/** Returns `table` as the element `name` of an AnnData. Its schema and rows remain unchanged. */
export function toNamedElement(table: DataTable, name: string): DataTable {
  return overrideTable(table, {
    name,
    axis: getRowAxis(name),
    layout: async (layout) => toNamedElement(await table.layout(layout), name),
  });
}
