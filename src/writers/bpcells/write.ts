/** Writes tables as a BPCells store in any container. Each matrix and each fragments element has its own group. */

import type { ContainerWriter, GroupWriter } from "../../containers/tree/container-writer.js";
import { InvalidInputError, NothingToWriteError, runWithLocation } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { createWriterContext, type WriterOptions, type WrittenTables } from "../context.js";
import { type BpcellsWriterContext, createPathGroups, type StoreGroups, type ValueType } from "./context.js";
import { writeFragments } from "./fragments.js";
import { writeMatrix } from "./matrix.js";

export interface BpcellsOptions extends WriterOptions {
  /** Whether to pack integers; true by default. Floats are never packed. */
  readonly packed?: boolean;
  /** Storage order of the entries; by default the table's order or, if it has none, "column". */
  readonly order?: "row" | "column";
  /** Type of the stored values: by default floats keep their type, and integers become unsigned. */
  readonly type?: ValueType;
  /** [rows, columns] of matrices whose shape is not known from their table or names. */
  readonly shape?: readonly [number, number];
  /** Makes the groups of the stores; by default, one group for each path segment. */
  readonly createGroups?: (root: GroupWriter) => StoreGroups;
}

/**
 * Writes the stores in `tables`. Each consists of `matrix` with `row_names` and `col_names`, or of `fragments`. A store
 * is at the root or, if its tables have a prefix (`rna/matrix`), in the group with that name. The container is not
 * closed.
 * @throws {InvalidInputError} for other names, and for tables that do not fit together.
 * @throws {UnsupportedError} for groups, if the container does not support them.
 */
export async function writeBpcells(
  container: ContainerWriter,
  tables: ReadonlyMap<string, ColumnTable>,
  options: BpcellsOptions = {},
): Promise<WrittenTables> {
  const warnings: string[] = [];
  const cx: BpcellsWriterContext = {
    ...createWriterContext(options, warnings),
    groups: (options.createGroups ?? createPathGroups)(container.root),
    packed: options.packed ?? true,
    order: options.order ?? null,
    type: options.type ?? null,
    shape: options.shape ?? null,
  };
  const written: { name: string; rows: number }[] = [];
  for (const store of storesOf(tables)) {
    cx.signal?.throwIfAborted();
    const { path } = store;
    const { metadata = null } = store.tables.get("matrix") ?? store.tables.get("fragments") ?? {};
    const group = await runWithLocation({ element: path }, () => cx.groups.at(path, metadata));
    written.push(...(await writeStore(group, store, cx)));
  }
  cx.groups.close();
  return { tables: written, warnings };
}

const ROLES = ["matrix", "row_names", "col_names", "fragments"] as const;
type Role = (typeof ROLES)[number];

interface Store {
  readonly path: string;
  readonly tables: ReadonlyMap<Role, ColumnTable>;
}

/** Groups the tables into stores, by the group in their names. */
function storesOf(tables: ReadonlyMap<string, ColumnTable>): readonly Store[] {
  const stores = new Map<string, Map<Role, ColumnTable>>();
  for (const [name, table] of tables) {
    if (table.derived) continue;
    const cut = name.lastIndexOf("/");
    const role = ROLES.find((one) => one === name.slice(cut + 1));
    if (role === undefined) {
      throw new InvalidInputError(`a store of BPCells has no such table; there are ${ROLES.join(", ")}`, {
        element: name,
      });
    }
    const path = cut < 0 ? "" : name.slice(0, cut);
    const store = stores.get(path) ?? new Map<Role, ColumnTable>();
    stores.set(path, store.set(role, table));
  }
  for (const [path, store] of stores) checkStore(path, store);
  if (stores.size === 0) throw new NothingToWriteError("there is neither a matrix nor fragments to write");
  return Array.from(stores, ([path, store]) => ({ path, tables: store }));
}

/**
 * Checks the tables of one store.
 * @throws {InvalidInputError} for names without a matrix, and for a matrix and fragments in the same group.
 */
function checkStore(path: string, store: ReadonlyMap<Role, ColumnTable>): void {
  const named = (role: Role) => (path === "" ? role : `${path}/${role}`);
  const [names] = [...store.keys()].filter((role) => role !== "matrix" && role !== "fragments");
  if (names !== undefined && !store.has("matrix")) {
    throw new InvalidInputError(`names without ${named("matrix")}`, { element: named(names) });
  }
  if (store.has("matrix") && store.has("fragments")) {
    throw new InvalidInputError(
      `beside ${named("matrix")}; a group holds one of them: give each a prefix, as rna/matrix and atac/fragments`,
      { element: named("fragments") },
    );
  }
}

async function writeStore(
  group: GroupWriter,
  { path, tables }: Store,
  cx: BpcellsWriterContext,
): Promise<WrittenTables["tables"]> {
  const named = (role: Role) => (path === "" ? role : `${path}/${role}`);
  const fragments = tables.get("fragments");
  if (fragments !== undefined) {
    const { packed, lossy, spill, budgetBytes, signal, progress } = cx;
    const version = `${packed ? "packed" : "unpacked"}-fragments-v2`;
    const place = await cx.groups.begin(group, version);
    const { rows, warnings } = await runWithLocation({ table: fragments.name }, () =>
      writeFragments(place, fragments, {
        ...{ packed, lossy, spill },
        budgetBytes,
        progress: (done, total) => progress(named("fragments"), done, total),
        signal,
      }),
    );
    for (const warning of warnings) cx.warn(warning);
    return [{ name: named("fragments"), rows }];
  }
  const matrix = tables.get("matrix");
  if (matrix === undefined) throw new TypeError("every store is a matrix or fragments");
  const [rowNames, colNames] = [tables.get("row_names") ?? null, tables.get("col_names") ?? null];
  const { entries, shape } = await runWithLocation({ table: matrix.name }, () =>
    writeMatrix(group, { matrix, rowNames, colNames }, cx),
  );
  return [
    { name: named("matrix"), rows: entries },
    ...(rowNames === null ? [] : [{ name: named("row_names"), rows: shape[0] }]),
    ...(colNames === null ? [] : [{ name: named("col_names"), rows: shape[1] }]),
  ];
}
