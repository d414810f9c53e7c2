/** Layouts of anndata before 0.7: old names of root elements and categories, and elements at other paths. */

import type { Group, Node, StoredArray } from "../../containers/tree/container.js";
import { WalkLimitError } from "../../containers/tree/walk-limit.js";
import { LongWork } from "../../io/sources/event-loop.js";
import { createUnwrittenLimit } from "../../io/sources/source.js";
import { ArrayRowReader, getArrayRowsPerRead } from "../../jobs/rows/array-row-reader.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { mapConcurrently } from "../concurrency.js";
import {
  type ColumnElement,
  createDataframeTable,
  createSparseTable,
  type SparseKind,
  type TableElement,
} from "../element.js";
import { listChildNames, openChild, type ReaderContext, readOrNull } from "../reader.js";
import { getNodeEncoding } from "./encoding.js";

/** Names of root elements before 0.5 (from `_H5_ALIASES` in anndata 0.6.22). */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  X: ["_X", "data", "_data"],
  obs: ["_obs", "smp", "_smp"],
  var: ["_var"],
  obsm: ["_obsm", "smpm", "_smpm"],
  varm: ["_varm"],
};

/** Maps every key in the root to its current name. If the root has an `encoding-type`, all its names are current. */
export function getRootNames(root: Group, keys: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map(keys.map((key) => [key, key.startsWith("raw.") ? `raw/${key.slice(4)}` : key]));
  if (getNodeEncoding(root).type !== "") return names;
  for (const [name, aliases] of Object.entries(ALIASES)) {
    const alias = keys.includes(name) ? undefined : aliases.find((one) => keys.includes(one));
    if (alias !== undefined) names.set(alias, name);
  }
  return names;
}

export interface LegacyCategories {
  /** Categories of obs and of var, keyed by column name. */
  readonly obs: ReadonlyMap<string, StoredArray>;
  readonly var: ReadonlyMap<string, StoredArray>;
  /** Paths of arrays that belong to a column and are therefore not elements themselves. */
  readonly used: ReadonlySet<string>;
}

/**
 * Finds the categories of compound obs and var. They are arrays called `<column>_categories` in `uns`, or at the root
 * before 0.5. They are used only if all of the column's codes are in range. anndata's `_clean_uns` does this only if
 * obs is an array.
 */
export async function findLegacyCategories(
  root: Group,
  frames: { readonly obs: Node | null; readonly var: Node | null },
  places: readonly (readonly [name: string, group: Group])[],
  cx: ReaderContext,
): Promise<LegacyCategories> {
  const found = { obs: new Map<string, StoredArray>(), var: new Map<string, StoredArray>() };
  const used = new Set<string>();
  if (frames.obs?.kind !== "array" || getNodeEncoding(root).type !== "") return { ...found, used };
  for (const [place, group] of places) {
    for (const key of (await readOrNull(listChildNames(group, cx))) ?? []) {
      if (!key.endsWith("_categories")) continue;
      const categories = await readOrNull(openChild(group, key, cx));
      if (categories?.kind !== "array" || (categories.shape?.length ?? 2) > 1) continue;
      const column = key.slice(0, -"_categories".length);
      for (const axis of ["obs", "var"] as const) {
        const frame = frames[axis];
        if (frame?.kind !== "array" || (await readOrNull(codesFit(frame, column, categories, cx))) !== true) continue;
        found[axis].set(column, categories);
        used.add(place === "" ? key : `${place}/${key}`);
      }
    }
  }
  return { ...found, used };
}

/** Whether the dataframe has this column, apart from its index, and all codes are valid category indices. */
async function codesFit(
  frame: StoredArray,
  column: string,
  categories: StoredArray,
  cx: ReaderContext,
): Promise<boolean> {
  if (frame.type.kind !== "record") return false;
  const place = frame.type.fields.findIndex((field) => field.name === column);
  if (place < 1 || frame.type.fields[place].type.kind !== "int") return false;
  const count = categories.shape?.[0] ?? 1;
  const rows = frame.shape?.[0] ?? 0;
  const reader = new ArrayRowReader(frame);
  const problem = `it declares ${rows} rows, and more than ${MAX_UNWRITTEN} bytes of them are stored nowhere`;
  const refusal = () => new WalkLimitError(new UnsupportedError(problem, { element: frame.path }));
  const onUnwritten = createUnwrittenLimit(MAX_UNWRITTEN, refusal);
  const work = new LongWork(cx.options.signal);
  const step = Math.min(CODES_AT_ONCE, getArrayRowsPerRead(frame));
  for (let start = 0; start < rows; start += step) {
    const values = await reader.read(start, Math.min(rows, start + step), { ...cx.options, onUnwritten });
    const codes = values.kind === "record" ? values.fields[place] : values;
    if (codes.kind !== "fixed" || codes.values.some((code) => code >= count)) return false;
    await work.pause();
  }
  return true;
}

const CODES_AT_ONCE = 65_536;

/**
 * Maximum number of bytes in rows that are declared but not stored. Checking more would make opening a file too slow.
 */
const MAX_UNWRITTEN = 2 ** 24;

/**
 * Opens X as anndata before 0.5 stored it: four arrays at the root, `X_csr_data`, `X_csr_indices`, `X_csr_indptr`,
 * `X_csr_shape`.
 */
export async function openRootSparseMatrix(
  root: Group,
  name: string,
  kind: SparseKind,
  cx: ReaderContext,
): Promise<TableElement> {
  const form = kind.slice(0, 3);
  const [data, indices, indptr, shape] = await mapConcurrently(["data", "indices", "indptr", "shape"], async (part) => {
    const node = await openChild(root, `${name}_${form}_${part}`, cx);
    if (node.kind === "array") return node;
    throw new InvalidDataError(`${node.path} is a group, an array is needed`);
  });
  const values = shape.shape?.[0] === 2 ? await shape.read(0, 2, cx.options) : null;
  const sizes = values?.kind === "fixed" ? Array.from(values.values, Number) : [];
  if (sizes.length !== 2 || !sizes.every((size) => Number.isSafeInteger(size) && size >= 0)) {
    throw new InvalidDataError(`${shape.path} holds ${JSON.stringify(sizes)}, no shape of a matrix`);
  }
  return createSparseTable({ kind, shape: [sizes[0], sizes[1]], data, indices, indptr }, name, {});
}

/** Returns the name and the format of every matrix that `openRootSparseMatrix` opens. */
export function listRootSparseNames(keys: readonly string[]): readonly (readonly [name: string, kind: SparseKind])[] {
  return keys.flatMap((key) => {
    const match = /^(.+)_(csr|csc)_data$/.exec(key);
    if (match === null) return [];
    const [, name, form] = match;
    const complete = ["indices", "indptr", "shape"].every((part) => keys.includes(`${name}_${form}_${part}`));
    return complete ? [[name, form === "csr" ? "csr_matrix" : "csc_matrix"] as const] : [];
  });
}

/**
 * Makes the dataframe of a compound array. The first field is the index.
 * @param categories categories by field name.
 */
export function createCompoundFrame(
  array: StoredArray,
  name: string,
  categories: ReadonlyMap<string, StoredArray>,
): TableElement {
  const { type, shape } = array;
  if (type.kind !== "record" || shape?.length !== 1 || type.fields.length === 0) {
    throw new InvalidDataError("neither a dataframe nor a compound array of one dimension", { element: array.path });
  }
  const columns = type.fields.map((field, i): ColumnElement => {
    const codes = { kind: "field", array, field: i } as const;
    const values = i === 0 ? undefined : categories.get(field.name);
    if (values === undefined)
      return { plan: codes, metadata: { kind: field.type.kind === "text" ? "string-array" : "array" } };
    return {
      plan: { kind: "categorical", codes, categories: { kind: "array", array: values }, ordered: false },
      metadata: { kind: "categorical" },
    };
  });
  const names = type.fields.map((field) => field.name);
  return createDataframeTable(name, names, columns, { index: names[0] });
}
