/** Joins the columns of several tables side by side. The batches of the tables may differ in length. */

import type { ColumnBatch } from "../arrow/column.js";
import { sliceColumn } from "../arrow/take.js";
import type { TableMetadata } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnBatchOptions, ColumnTable } from "./column-table.js";
import { createListingMembers } from "./reshaped-tables.js";

/**
 * Joins the columns of all `parts`, at least one, in order into one table `name`.
 * @throws {InvalidInputError} if two columns have the same name, or if the tables differ in their number of rows; the
 * message names both tables.
 */
export function joinColumnTables(
  name: string,
  parts: readonly ColumnTable[],
  metadata: TableMetadata | null,
): ColumnTable {
  checkNames(parts);
  const sized = parts.find(({ rows }) => rows !== null);
  const rows = sized?.rows ?? null;
  for (const part of parts) {
    if (sized !== undefined && part.rows !== null && part.rows !== rows) throw unequal(part, part.rows, sized, rows);
  }
  return {
    ...createListingMembers(name, rows),
    metadata,
    fields: parts.flatMap(({ fields }) => fields),
    repeatable: parts.every(({ repeatable }) => repeatable),
    batches: (options) => rowsTogether(parts, options),
  };
}

function checkNames(parts: readonly ColumnTable[]): void {
  const owners = new Map<string, ColumnTable>();
  for (const part of parts) {
    for (const { name } of part.fields) {
      const owner = owners.get(name);
      if (owner !== undefined) {
        throw new InvalidInputError(
          `a column ${JSON.stringify(name)}, and ${owner.name} has one as well: rename one, or leave one out`,
          { element: part.name },
        );
      }
      owners.set(name, part);
    }
  }
}

/** Reads a table's batches and buffers the rest of the current one. */
class Rows {
  readonly table: ColumnTable;
  readonly #batches: AsyncIterator<ColumnBatch>;
  #batch: ColumnBatch | null = null;
  /** Number of rows taken from the current batch; `taken` counts those from all batches. */
  #at = 0;
  taken = 0;

  constructor(table: ColumnTable, options: ColumnBatchOptions | undefined) {
    this.table = table;
    this.#batches = table.batches(options)[Symbol.asyncIterator]();
  }

  /**
   * Returns the number of rows left in the current batch; 0 at the end of the table. An empty first batch is not
   * skipped, because it contains the columns.
   */
  async available(): Promise<number> {
    while (this.#batch === null || this.#at === this.#batch.length) {
      const next = await this.#batches.next();
      if (next.done) break;
      this.#batch = next.value;
      this.#at = 0;
    }
    return this.#batch === null ? 0 : this.#batch.length - this.#at;
  }

  take(rows: number): ColumnBatch["columns"] {
    if (this.#batch === null) throw new InvalidInputError("not one batch", { element: this.table.name });
    const [start, end] = [this.#at, this.#at + rows];
    this.#at = end;
    this.taken += rows;
    return this.#batch.columns.map((column) => sliceColumn(column, start, end));
  }

  async end(): Promise<void> {
    await this.#batches.return?.(undefined);
  }
}

async function* rowsTogether(
  tables: readonly ColumnTable[],
  options: ColumnBatchOptions | undefined,
): AsyncGenerator<ColumnBatch> {
  const parts = tables.map((table) => new Rows(table, options));
  try {
    for (let first = true; ; first = false) {
      const available: number[] = [];
      for (const part of parts) available.push(await part.available());
      const length = Math.min(...available);
      if (length === 0) {
        const longer = available.findIndex((rows) => rows > 0);
        const shorter = parts[available.indexOf(0)];
        if (longer >= 0) {
          const { table, taken } = parts[longer];
          throw unequal(table, taken + available[longer], shorter.table, shorter.taken);
        }
        if (!first) return;
      }
      yield { length, columns: parts.flatMap((part) => part.take(length)) };
      if (length === 0) return;
    }
  } finally {
    for (const part of parts) await part.end();
  }
}

function unequal(table: ColumnTable, rows: number, other: ColumnTable, theirs: number | null): InvalidInputError {
  return new InvalidInputError(`${rows} rows, ${other.name} has ${theirs}`, { element: table.name });
}
