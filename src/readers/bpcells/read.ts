/** Reads BPCells stores at and below a group. */

import { getFragmentFields } from "../../arrow/fragments.js";
import type { Group } from "../../containers/tree/container.js";
import { createSparseRows } from "../../jobs/plan/matrix-plan.js";
import { createTablePlan, type TablePlan } from "../../jobs/plan/plan.js";
import { getColumnType } from "../../jobs/rows/columns.js";
import { type AnnarrowError, InvalidDataError, isAnnarrowError, NotFoundError } from "../../model/errors.js";
import type { DatasetPlans, ReaderContext } from "../reader.js";
import {
  type FragmentsVersion,
  getLength,
  type MatrixVersion,
  openTexts,
  parseVersion,
  type StoreContext,
} from "./stores/arrays.js";
import { type FoundStore, findStores, storeVersion } from "./stores/find-stores.js";
import { openFragments } from "./stores/fragments.js";
import { openMatrix } from "./stores/matrix.js";

/** Reads the structure of all stores. @throws {NotFoundError} if there is none. */
export async function readBpcells(root: Group, { container, options, text }: ReaderContext): Promise<DatasetPlans> {
  const isFolder = container.kind === "directory";
  const stores = isFolder ? [{ path: "", group: root }] : await findStores(root, options);
  if (stores.length === 0) throw new NotFoundError("no matrix or fragments of BPCells here");
  return readStores({ stores, failures: NONE }, { exact: isFolder, options, text });
}

const NONE: ReadonlyMap<string, AnnarrowError> = new Map();

/** The stores of a dataset, and those that cannot be opened. */
export interface DatasetStores {
  readonly stores: readonly FoundStore[];
  readonly failures: ReadonlyMap<string, AnnarrowError>;
}

/** Reads the structure of the stores in a dataset. */
export async function readStores({ stores, failures }: DatasetStores, cx: TablesContext): Promise<DatasetPlans> {
  // The tables of a single store have no prefix, regardless of the store's path.
  const isAlone = stores.length + failures.size === 1;
  const found = await openStores(stores, cx, (path) => (isAlone || path === "" ? "" : `${path}/`));
  const versions = stores.map(({ group }) => getVersionText(group));
  return {
    ...found,
    shape: isAlone ? found.shape : null,
    version: [...new Set(versions)].join(", "),
    failures: new Map([...failures, ...found.failures]),
  };
}

export interface TablesContext extends StoreContext {
  readonly text: ReaderContext["text"];
}

/**
 * Opens the tables of some stores. For a single store, `shape` is the shape of its matrix; otherwise it is null.
 * @param prefixOf returns the prefix for a store's tables, given the store's path.
 */
export async function openStores(
  stores: readonly FoundStore[],
  cx: TablesContext,
  prefixOf: (path: string) => string,
): Promise<Found> {
  const tables: TablePlan[] = [];
  const failures = new Map<string, AnnarrowError>();
  let shape: readonly [number, number] | null = null;
  for (const store of stores) {
    const found = await openStore(store, prefixOf(store.path), cx);
    tables.push(...found.tables);
    for (const [name, error] of found.failures) failures.set(name, error);
    if (stores.length === 1) shape = found.shape;
  }
  return { shape, tables, failures };
}

interface Found {
  readonly shape: readonly [number, number] | null;
  readonly tables: readonly TablePlan[];
  readonly failures: ReadonlyMap<string, AnnarrowError>;
}

async function openStore({ group, list }: FoundStore, prefix: string, cx: TablesContext): Promise<Found> {
  const tables: TablePlan[] = [];
  const failures = new Map<string, AnnarrowError>();
  // Without a prefix, the table's name does not contain the path in the R lists.
  const listed = list === undefined ? {} : { list: prefix === "" ? list.map((one) => ({ ...one, key: "" })) : list };
  const attempt = async (name: string, open: () => Promise<TablePlan | null>): Promise<TablePlan | null> => {
    try {
      const table = await open();
      if (table !== null) tables.push({ ...table, metadata: { ...table.metadata, ...listed } });
      return table;
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      failures.set(prefix + name, error);
      return null;
    }
  };
  const text = storeVersion(group) ?? getVersionText(group);
  const store: OpenedStore = { group, prefix, text };
  const version = parsed(text);
  if (isAnnarrowError(version)) return { shape: null, tables, failures: failures.set(`${prefix}matrix`, version) };
  if (version.content === "fragments") {
    await attempt("fragments", () => fragmentsTable(store, version, cx));
    return { shape: null, tables, failures };
  }
  const matrix = await attempt("matrix", () => matrixTable(store, version, cx));
  const shape = matrix?.plan.kind === "coordinate" ? matrix.plan.matrix.shape : null;
  for (const [axis, name] of [
    ["row", "row_names"],
    ["col", "col_names"],
  ] as const) {
    const size = shape === null ? null : shape[axis === "row" ? 0 : 1];
    await attempt(name, () => namesTable(store, axis, size, cx));
  }
  return { shape, tables, failures };
}

interface OpenedStore {
  readonly group: FoundStore["group"];
  readonly prefix: string;
  readonly text: string;
}

async function matrixTable(
  { group, prefix, text }: OpenedStore,
  version: MatrixVersion,
  cx: TablesContext,
): Promise<TablePlan> {
  const { bits, ...matrix } = await openMatrix(group, version, cx);
  const { shape, order } = matrix;
  const kind = order === "row" ? "csr_matrix" : "csc_matrix";
  const metadata = { kind, shape, order, version: text, bits };
  return createTablePlan({
    ...createSparseRows(matrix, "coordinate"),
    name: `${prefix}matrix`,
    metadata,
    text: cx.text,
  });
}

async function fragmentsTable(
  { group, prefix, text }: OpenedStore,
  version: FragmentsVersion,
  cx: TablesContext,
): Promise<TablePlan> {
  const { bits, ...plan } = await openFragments(group, version, cx);
  const rows = plan.runs.at(-1)?.end ?? 0;
  return createTablePlan({
    name: `${prefix}fragments`,
    fields: getFragmentFields(false),
    metadata: { kind: "fragments", shape: [rows], version: text, bits },
    rows,
    plan,
    text: cx.text,
  });
}

/** Opens the names of an axis; null if the store has none. */
async function namesTable(
  { group, prefix }: OpenedStore,
  axis: "row" | "col",
  size: number | null,
  cx: TablesContext,
): Promise<TablePlan | null> {
  const name = axis === "row" ? "row_names" : "col_names";
  const array = await openTexts(group, name, cx);
  const count = getLength(array);
  if (count === 0) return null;
  if (size !== null && count !== size) {
    throw new InvalidDataError(`${count} names for ${size} ${axis === "row" ? "rows" : "columns"}`, {
      element: array.path,
    });
  }
  const column = { kind: "array", array } as const;
  return createTablePlan({
    name: prefix + name,
    fields: [{ name: "value", type: getColumnType(column), nullable: false }],
    metadata: { kind: "string-array", shape: [count] },
    rows: count,
    axis,
    plan: { kind: "columns", columns: [column] },
    text: cx.text,
  });
}

function parsed(text: string) {
  try {
    return parseVersion(text);
  } catch (error) {
    if (isAnnarrowError(error)) return error;
    throw error;
  }
}

/** Returns the version from a group's attributes; `""` if they contain none. */
export function getVersionText({ attributes }: Group): string {
  const version = attributes.get("version");
  return typeof version === "string" ? version : "";
}
