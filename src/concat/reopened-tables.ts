/** Tables of a dataset that is open only while they are read: many datasets need more files than a process may open. */

import type { ColumnTable } from "../tables/column-table.js";

/** The tables of an open dataset, which may be closed once they are released. */
export interface HeldTables {
  readonly tables: ReadonlyMap<string, ColumnTable>;
  release(): void;
}

/** Opens the dataset, or takes it where it is open. */
export type HoldTables = () => Promise<HeldTables>;

/** The tables, each of which opens the dataset while it is read. */
export function reopenedTables(
  tables: ReadonlyMap<string, ColumnTable>,
  hold: HoldTables,
): ReadonlyMap<string, ColumnTable> {
  return new Map(
    [...tables].map(([name, table]) => [name, reopened(table, hold, async (held) => tableOf(held, name))]),
  );
}

function tableOf({ tables }: HeldTables, name: string): ColumnTable {
  const table = tables.get(name);
  if (table === undefined) throw new TypeError(`no table ${name} any more`);
  return table;
}

type Described = Omit<ColumnTable, "layout" | "batches" | "placed">;

/** A table that is found anew in the open dataset. What it says about itself is kept; the dataset is not. */
function reopened(
  { name, fields, metadata, schemaMetadata, rows, derived, layouts, repeatable, only }: Described,
  hold: HoldTables,
  find: (held: HeldTables) => Promise<ColumnTable>,
): ColumnTable {
  const plain = {
    ...{ name, fields, metadata, schemaMetadata, rows, derived, layouts, repeatable },
  };
  const table: ColumnTable = {
    ...plain,
    async layout(layout) {
      const held = await hold();
      try {
        const other = await (await find(held)).layout(layout);
        return reopened(other, hold, async (again) => (await find(again)).layout(layout));
      } finally {
        held.release();
      }
    },
    async placed(minor) {
      const held = await hold();
      try {
        const moved = (await (await find(held)).placed?.(minor)) ?? null;
        if (moved === null) return null;
        return reopened(moved, hold, async (again) => {
          const own = await find(again);
          return (await own.placed?.(minor)) ?? own;
        });
      } finally {
        held.release();
      }
    },
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
