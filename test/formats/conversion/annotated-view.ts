/** What a dataset of any format holds, in one form: cells and genes by their names. */

import type { Dataset } from "../../../packages/published/src/index.js";

/** Elements by the names of AnnData; matrices as sorted lines `cell gene value`. */
export type Contents = Readonly<Record<string, readonly string[]>>;

/** How a format calls what AnnData calls so. */
const WORDS: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  anndata: [],
  h5seurat: [],
  matlab: [],
  "10x": [],
  bpcells: [
    [/^matrix$/, "X"],
    [/^col_names$/, "obs"],
    [/^row_names$/, "var"],
  ],
  loom: [
    [/^matrix$/, "X"],
    [/^col_attrs$/, "obs"],
    [/^row_attrs$/, "var"],
    [/^col_graphs\//, "obsp/"],
    [/^row_graphs\//, "varp/"],
    [/^attrs\//, "uns/"],
  ],
};

const INDEX = new Set(["_index", "barcode", "CellID", "Gene", "value"]);

/** @param only the names that are wanted; all by default. */
export async function contents(data: Dataset, only?: readonly string[]): Promise<Contents> {
  const words = WORDS[data.format];
  const isTurned = data.format === "loom" || data.format === "bpcells";
  const found: Record<string, readonly string[]> = {};
  for (const [own, table] of data.tables) {
    if (table.derived || own === "attrs/LOOM_SPEC_VERSION" || own === "attrs/CreationDate") continue;
    const [pattern, word] = words.find(([one]) => one.test(own)) ?? [/^/, ""];
    const name = own.replace(pattern, word);
    if (only?.includes(name) === false) continue;
    const isMatrix = name === "X" || name.startsWith("layers/");
    const stored = isMatrix && table.layouts.includes("coordinate") ? await table.layout("coordinate") : table;
    const rows = (await stored.read()).toArray();
    if (isMatrix) found[name] = entries(rows, isTurned);
    else if (/^(obs|var)p\//.test(name)) found[name] = entries(rows, false);
    else if (name === "obs" || name === "var") addColumns(name, rows, found);
    else found[name] = rows.map((row) => text(row.value));
  }
  return only === undefined ? found : Object.fromEntries(only.map((name) => [name, found[name]]));
}

type Row = Readonly<Record<string, unknown>>;

/** Rows of coordinates, or of lists of fixed size. */
function entries(rows: readonly Row[], isTurned: boolean): readonly string[] {
  const lines = rows.flatMap((row, i) => {
    if ("row" in row) return [[row.row, row.col, row.value]];
    const values = isList(row.value) ? [...row.value] : [];
    return values.flatMap((value, k) => (value === 0 ? [] : [[i, k, value]]));
  });
  return lines.map(([row, col, value]) => (isTurned ? `${col} ${row} ${value}` : `${row} ${col} ${value}`)).sort();
}

function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

function addColumns(axis: "obs" | "var", rows: readonly Row[], found: Record<string, readonly string[]>): void {
  for (const [name, value] of Object.entries(rows[0]?.toJSON instanceof Function ? rows[0].toJSON() : {})) {
    const isArray = typeof value === "object" && value !== null;
    const place = INDEX.has(name) ? axis : `${axis}${isArray ? "m" : ""}/${name}`;
    found[place] = rows.map((row) => text(row[name]));
  }
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === "bigint" ? String(one) : one));
}
