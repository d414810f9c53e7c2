/**
 * Tables of a dataset that is open only while they are read, because a process cannot keep the files of many datasets
 * open.
 */

import type { StoredArray } from "../containers/tree/container.js";
import type { StoredChunkBatch, StoredChunks } from "../containers/tree/stored-chunks.js";
import type { ReadOptions } from "../io/sources/source.js";
import { listPlanArrays, mapArrays, type RowsPlan } from "../jobs/plan/plan.js";
import { type ColumnTable, findCopyableRows } from "../tables/column-table.js";

/** The tables of an open dataset, which may be closed after a call of `release`. */
export interface HeldTables {
  readonly tables: ReadonlyMap<string, ColumnTable>;
  release(): void;
}

/** Opens the dataset, or returns it if it is already open. */
export type HoldTables = () => Promise<HeldTables>;

export function createReopenedTables(
  tables: ReadonlyMap<string, ColumnTable>,
  hold: HoldTables,
): ReadonlyMap<string, ColumnTable> {
  const all = new Map<string, ColumnTable>();
  for (const [name, table] of tables) {
    const again = reopened(table, hold, async (held) => tableOf(held, name));
    const own = findCopyableRows(table);
    const rows = own === null ? null : createReopenedRows(own, () => heldRows(hold, name));
    all.set(name, rows === null ? again : { ...again, kept: { rows, batches: again.batches } });
  }
  return all;
}

async function heldRows(hold: HoldTables, name: string): Promise<HeldRows> {
  const held = await hold();
  const rows = findCopyableRows(tableOf(held, name));
  if (rows === null) throw new TypeError(`${name} is not stored any more`);
  return { rows, release: () => held.release() };
}

function tableOf({ tables }: HeldTables, name: string): ColumnTable {
  const table = tables.get(name);
  if (table === undefined) throw new TypeError(`no table ${name} any more`);
  return table;
}

type Described = Omit<ColumnTable, "layout" | "batches" | "placed" | "rowsAt">;

/**
 * Returns a table that is looked up whenever its dataset is opened. It stores the table's description, but never the
 * dataset.
 */
function reopened(
  { name, fields, metadata, schemaMetadata, rows, derived, layouts, repeatable, only }: Described,
  hold: HoldTables,
  find: (held: HeldTables) => Promise<ColumnTable>,
): ColumnTable {
  const plain = {
    ...{ name, fields, metadata, schemaMetadata, rows, derived, layouts, repeatable },
  };
  /** Returns the changed table. The change is repeated whenever the dataset is opened again. */
  const changed = async (change: (own: ColumnTable) => Promise<ColumnTable | null>): Promise<ColumnTable | null> => {
    const held = await hold();
    try {
      const other = await change(await find(held));
      if (other === null) return null;
      return reopened(other, hold, async (again) => {
        const own = await change(await find(again));
        if (own === null) throw new TypeError(`${name} cannot be changed any more`);
        return own;
      });
    } finally {
      held.release();
    }
  };
  const table: ColumnTable = {
    ...plain,
    async layout(layout) {
      const other = await changed((own) => own.layout(layout));
      if (other === null) throw new TypeError("a layout is a table");
      return other;
    },
    placed: (minor) => changed(async (own) => (await own.placed?.(minor)) ?? null),
    rowsAt: (positions) => changed(async (own) => (await own.rowsAt?.(positions)) ?? null),
    async *batches(options) {
      const held = await hold();
      try {
        yield* (await find(held)).batches(options);
      } finally {
        held.release();
      }
    },
  };
  if (only === undefined) return table;
  return {
    ...table,
    only: (places) =>
      reopened({ ...plain, fields: places.map((place) => fields[place]), layouts: [] }, hold, async (held) => {
        const whole = await find(held);
        return whole.only?.(places) ?? whole;
      }),
  };
}

// Stored arrays of a dataset that is open only while they are read. A writer can keep their chunks.

/** The rows of a table; their dataset stays open until `release`. */
interface HeldRows {
  readonly rows: RowsPlan;
  release(): void;
}

type HoldRows = () => Promise<HeldRows>;

/**
 * Wraps rows so that their arrays open the dataset whenever they are read. Returns null for rows that are neither the
 * entries of a sparse matrix nor a single array, because a writer does not copy chunks of such rows.
 */
function createReopenedRows(rows: RowsPlan, hold: HoldRows): RowsPlan | null {
  const isMatrix = rows.kind === "coordinate" || rows.kind === "entries";
  if (!isMatrix && (rows.kind !== "columns" || rows.columns.length !== 1)) return null;
  let count = 0;
  return mapArrays(rows, (array) => {
    const place = count++;
    return reopenedArray(array, async () => {
      const held = await hold();
      return { array: listPlanArrays(held.rows)[place], release: held.release };
    });
  });
}

type HoldArray = () => Promise<{ readonly array: StoredArray; release(): void }>;

/** Returns an array with the description of `known`, but without a reference to it. */
function reopenedArray(known: StoredArray, hold: HoldArray): StoredArray {
  const { kind, path, id, attributes, type, shape, chunks, capabilities } = known;
  const stored = capabilities?.storedChunks;
  return {
    ...{ kind, path, id, attributes, type, shape, chunks },
    capabilities: stored === undefined ? undefined : { storedChunks: reopenedChunks(stored, hold) },
    async read(start, end, options) {
      const { array, release } = await hold();
      try {
        return await array.read(start, end, options);
      } finally {
        release();
      }
    },
  };
}

function reopenedChunks({ container, chunk, codecs, behindValues }: StoredChunks, hold: HoldArray): StoredChunks {
  return {
    ...{ container, chunk, codecs, behindValues },
    async find(options) {
      const found = async () => {
        const { array, release } = await hold();
        try {
          const chunks = await array.capabilities?.storedChunks?.find(options);
          if (chunks === undefined) throw new TypeError(`${array.path} has no chunks any more`);
          return { chunks, release };
        } catch (error) {
          release();
          throw error;
        }
      };
      /** Finds the chunks again each time, to avoid holding chunk lists for many datasets in memory. */
      async function* pieces(files: boolean, how?: ReadOptions): AsyncGenerator<StoredChunkBatch> {
        const { chunks, release } = await found();
        try {
          yield* chunks.pieces(files, how);
          await chunks.checkUnchanged();
        } finally {
          release();
        }
      }
      const { chunks, release } = await found();
      release();
      const { count, skipsCodecs } = chunks;
      // The check for changes runs after the last chunk has been passed on, while the dataset is still open.
      return { count, skipsCodecs, pieces, checkUnchanged: async () => undefined };
    },
  };
}
