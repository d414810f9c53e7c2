/** Tables -> stores of BPCells in any container: matrices and fragments, each in a group of its own. */

import type { ContainerWriter, GroupWriter } from "../../containers/tree/container-writer.js";
import type { Spill } from "../../external-sort/spill.js";
import type { Progress } from "../../model/dataset.js";
import { InvalidInputError, located, NothingToWriteError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import type { BpcellsWriterContext, ValueType } from "./context.js";
import { writeFragments } from "./fragments.js";
import { writeMatrix } from "./matrix.js";
import { RLists } from "./r-lists.js";
import { rdsObject } from "./rds-slots.js";

export interface BpcellsOptions {
  /** Packed integers, the default; floats are never packed. */
  readonly packed?: boolean;
  /** How entries are stored: the order that the table has, else column, by default. */
  readonly order?: "row" | "column";
  /** The values' type: floats as they are, integers unsigned, by default. */
  readonly type?: ValueType;
  /** Round values, fill in missing ones, and leave out columns, with a warning, instead of stopping. */
  readonly lossy?: boolean;
  /** [rows, columns] of matrices of which neither the table nor names tell. */
  readonly shape?: readonly [number, number];
  /** Where a sort puts what does not fit into memory. */
  readonly spill?: Spill | null;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface WrittenBpcells {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly warnings: readonly string[];
}

/**
 * Writes the stores that `tables` are: `matrix` with `row_names` and `col_names`, or `fragments`, at the root, and such
 * names below a prefix (`rna/matrix`) in the group of that name. The container is not closed.
 * @throws {InvalidInputError} for other names, and for tables that do not fit together.
 * @throws {UnsupportedError} for groups where the container has none.
 */
export async function writeBpcells(
  container: ContainerWriter,
  tables: ReadonlyMap<string, ColumnTable>,
  options: BpcellsOptions = {},
): Promise<WrittenBpcells> {
  const warnings: string[] = [];
  const cx: BpcellsWriterContext = {
    container: container.kind,
    packed: options.packed ?? true,
    order: options.order ?? null,
    type: options.type ?? null,
    lossy: options.lossy ?? false,
    shape: options.shape ?? null,
    spill: options.spill ?? null,
    signal: options.signal,
    warn: (message) => warnings.push(message),
    progress: (element, done, total) => options.onProgress?.({ element, done, total, unit: "rows" }),
  };
  const written: { name: string; rows: number }[] = [];
  const groups = new Groups(container.root);
  const lists = new RLists(container.root);
  for (const store of storesOf(tables)) {
    cx.signal?.throwIfAborted();
    const { path } = store;
    const { metadata = null } = store.tables.get("matrix") ?? store.tables.get("fragments") ?? {};
    const group = await located({ element: path }, () =>
      container.kind === "rds" ? lists.at(path, metadata) : groups.at(path),
    );
    written.push(...(await writeStore(group, store, cx)));
  }
  lists.close();
  return { tables: written, warnings };
}

const ROLES = ["matrix", "row_names", "col_names", "fragments"] as const;
type Role = (typeof ROLES)[number];

interface Store {
  readonly path: string;
  readonly tables: ReadonlyMap<Role, ColumnTable>;
}

/** The stores by the groups that they go to. */
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

/** @throws {InvalidInputError} for names without a matrix, and for a matrix and fragments in one group. */
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
): Promise<WrittenBpcells["tables"]> {
  const named = (role: Role) => (path === "" ? role : `${path}/${role}`);
  const fragments = tables.get("fragments");
  if (fragments !== undefined) {
    const { packed, lossy, spill, signal, progress } = cx;
    const version = `${packed ? "packed" : "unpacked"}-fragments-v2`;
    const place = cx.container === "rds" ? await rdsObject(group, version) : group;
    const { rows, warnings } = await located({ table: fragments.name }, () =>
      writeFragments(place, fragments, {
        ...{ packed, lossy, spill },
        progress: (done, total) => progress(named("fragments"), done, total),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
    for (const warning of warnings) cx.warn(warning);
    return [{ name: named("fragments"), rows }];
  }
  const matrix = tables.get("matrix");
  if (matrix === undefined) throw new TypeError("every store is a matrix or fragments");
  const [rowNames, colNames] = [tables.get("row_names") ?? null, tables.get("col_names") ?? null];
  const { entries, shape } = await located({ table: matrix.name }, () =>
    writeMatrix(group, { matrix, rowNames, colNames }, cx),
  );
  return [
    { name: named("matrix"), rows: entries },
    ...(rowNames === null ? [] : [{ name: named("row_names"), rows: shape[0] }]),
    ...(colNames === null ? [] : [{ name: named("col_names"), rows: shape[1] }]),
  ];
}

/** Groups by their paths, made with all above them where they are not there yet. */
class Groups {
  readonly #open = new Map<string, Promise<GroupWriter>>();

  constructor(root: GroupWriter) {
    this.#open.set("", Promise.resolve(root));
  }

  at(path: string): Promise<GroupWriter> {
    let group = this.#open.get(path);
    if (group === undefined) {
      const cut = path.lastIndexOf("/");
      const name = path.slice(cut + 1);
      group = this.at(cut < 0 ? "" : path.slice(0, cut)).then((parent) => parent.group(name));
      this.#open.set(path, group);
    }
    return group;
  }
}
