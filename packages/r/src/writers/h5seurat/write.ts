/** Writes tables with AnnData's names as an h5Seurat file, in SeuratDisk 0.0.0.9021's layout for Seurat 4 objects. */

import { InvalidInputError } from "annarrow";
import type { ContainerWriter, GroupWriter } from "annarrow/core/containers";
import { NothingToWriteError, runWithLocation, UnsupportedElementError } from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import { getElementAxes } from "annarrow/core/tables";
import { createWriterContext, type WriterOptions, type WrittenTables } from "annarrow/core/writers";
import { createTextAttribute } from "annarrow/format";
import { AssayWriter } from "./assay.js";
import { writeIdentities, writeNames, writeObs } from "./cells.js";
import { ListWriter } from "./lists.js";

export interface H5SeuratOptions extends WriterOptions {
  /** [observations, variables], used if the tables do not specify them. */
  readonly shape: readonly [number, number] | null;
  /** Index columns of dataframes, keyed by table name. */
  readonly index: Readonly<Record<string, string>>;
}

/** Name of the assay, and name of the object. */
const ASSAY = "RNA";
const PROJECT = "SeuratProject";
/** Version that is recorded in the objects. Readers of version 4 and later accept it. */
const VERSION = "4.1.3";

const GROUPS = ["assays", "commands", "neighbors", "graphs", "misc", "reductions", "tools", "images"];
const LAYERS: ReadonlyMap<string, string> = new Map([
  ["X", "data"],
  ["layers/counts", "counts"],
  ["layers/scale.data", "scale.data"],
]);

/**
 * Writes the tables below the root of `container`, which stays open.
 * @throws {UnsupportedElementError} for elements and values that a Seurat object cannot hold; the error names the
 * table.
 */
export async function writeH5Seurat(
  container: ContainerWriter,
  tables: ReadonlyMap<string, ColumnTable>,
  options: H5SeuratOptions,
): Promise<WrittenTables> {
  const { root } = container;
  const warnings: string[] = [];
  const cx = createWriterContext(options, warnings);
  const leaves = new Map([...tables].filter(([, table]) => !table.derived));
  const written: { name: string; rows: number }[] = [];
  const write = async (table: ColumnTable, action: () => Promise<number | null>) => {
    cx.signal?.throwIfAborted();
    const rows = await runWithLocation({ element: table.name, table: table.name }, action);
    if (rows !== null) written.push({ name: table.name, rows });
  };
  if (![...LAYERS.keys()].some((name) => leaves.has(name))) {
    throw new NothingToWriteError("an assay has a matrix: give X, or layers/counts", { element: "X" });
  }
  const [cells, features] = sizes(leaves, options.shape);
  for (const [name, text] of [
    ["project", PROJECT],
    ["active.assay", ASSAY],
    ["version", VERSION],
  ]) {
    root.attribute(name, createTextAttribute(text));
  }
  const groups = new Map<string, GroupWriter>();
  for (const name of GROUPS) groups.set(name, await root.group(name));
  const at = (name: string): GroupWriter => groups.get(name) ?? root;
  const assay = await AssayWriter.open(at, ASSAY, { cells, features }, leaves, cx);

  const obs = leaves.get("obs");
  const identities = { written: false };
  if (obs === undefined) await writeNames(root, cells, cx);
  else await write(obs, () => writeObs(root, obs, options.index.obs, identities, cx));
  if (!identities.written) await writeIdentities(root, cells, PROJECT);
  const vars = leaves.get("var");
  if (vars === undefined) await assay.positions();
  else await write(vars, () => assay.features(vars, options.index.var));
  const lists = new ListWriter(
    new Map([
      ["misc", at("misc")],
      ["tools", at("tools")],
    ]),
    tables.keys(),
    cx,
  );
  for (const [name, table] of leaves) {
    if (name === "obs" || name === "var") continue;
    await write(table, async () => {
      const layer = LAYERS.get(name);
      if (layer !== undefined) return assay.layer(table, layer);
      const [top, key = "", ...rest] = name.split("/");
      if (rest.length === 0 && top === "obsm") return assay.reduction(table, key);
      if (rest.length === 0 && top === "varm") return assay.loadings(table, key);
      if (rest.length === 0 && top === "obsp") return assay.graph(table, key);
      if (top === "uns" && key !== "") return assay.isUsed(name) ? null : lists.write(table);
      throw new UnsupportedElementError("no place for it in an h5Seurat file");
    });
  }
  for (const table of tables.values()) if (table.derived && /^uns(\/|$)/.test(table.name)) await lists.mappings(table);
  return { tables: written, warnings };
}

/** Returns [cells, features] from the tables. @throws {NothingToWriteError} if no table specifies them. */
function sizes(
  tables: ReadonlyMap<string, ColumnTable>,
  known: readonly [number, number] | null,
): readonly [number, number] {
  const size = (axis: "obs" | "var", given: number | undefined): number => {
    const own = tables.get(axis)?.rows ?? given;
    if (typeof own === "number") return own;
    for (const [name, { metadata, rows, fields }] of tables) {
      const dimension = getElementAxes(name).indexOf(axis);
      if (dimension < 0) continue;
      const list = fields[0]?.type;
      const isDense = fields.length === 1 && list?.id === "FixedSizeList";
      const found = metadata?.shape?.[dimension] ?? (isDense ? (dimension === 0 ? rows : list.size) : null);
      if (typeof found === "number") return found;
    }
    throw new InvalidInputError(`nothing says how many rows it has: give ${axis}, X, or the shape`, { element: axis });
  };
  return [size("obs", known?.[0]), size("var", known?.[1])];
}
