/**
 * Reads h5Seurat, the layout in which SeuratDisk stores Seurat objects in HDF5. Elements get the names that AnnData
 * uses. If there are several assays, they become modalities.
 */

import { InvalidDataError, isAnnarrowError, NotFoundError } from "annarrow";
import { encodeStoredTexts } from "annarrow/core/arrow";
import type { Node } from "annarrow/core/containers";
import { createMemoryArray } from "annarrow/core/containers";
import type { ReadPlans } from "annarrow/core/readers";
import {
  createAnnotatedPlans,
  createDerivedPlan,
  FoundElements,
  getTextAttribute,
  getTextListAttribute,
} from "annarrow/core/readers";
import type { StoredArray } from "annarrow/format";
import { listChildNames, openChild } from "annarrow/format";
import { getModalityPath } from "../seurat-names.js";
import { addAssay, type Features } from "./assay.js";
import { openArray, openColumn } from "./column.js";
import { add, type H5SeuratContext, type OpenedGroup, openGroup, openGroupWithKeys } from "./context.js";
import { createFrameTable, type NamedColumn, openFrame } from "./frame.js";
import { addAny, addMapping } from "./lists.js";
import { addGraph, addNeighbors, addReduction } from "./reductions.js";

/** Children of the root that are read separately. */
const KNOWN = new Set([
  ...["assays", "reductions", "graphs", "neighbors", "cell.names", "meta.data", "active.ident", "commands"],
]);

/** Maximum number of assays; real objects have a few. */
const MAX_ASSAYS = 1000;

/**
 * Reads the structure of an h5Seurat file without the values of its matrices.
 * @throws {NotFoundError} if there is no assay.
 */
export const readH5Seurat: ReadPlans = async (group, reading) => {
  const cx: H5SeuratContext = { reading, found: new FoundElements(), listed: new Map() };
  const root: OpenedGroup = { group, keys: await listChildNames(group, reading) };
  const cells = await openArray(group, "cell.names", reading);
  if (cells.type.kind !== "text" || cells.shape?.length !== 1) {
    throw new InvalidDataError("the names of the cells are no names", { element: "cell.names" });
  }
  const [count] = cells.shape;
  const { names, place } = await assayNames(root, cx);
  const main = place(null);
  const columns = await cellColumns(root, cx);
  const several = names.length > 1;
  if (several) await add(cx, "obs", () => createFrameTable("obs", columns, cells));
  const assays = await openGroup(cx, root, "assays");
  const features = new Map<string, Features>();
  for (const name of names) {
    const prefix = place(name);
    await add(cx, `${prefix}obs`, () => createFrameTable(`${prefix}obs`, columns, cells));
    await cx.found.element(`assays/${name}`, async () => {
      const assay = await openGroupWithKeys(await openChild(assays?.group ?? group, name, reading), reading);
      features.set(prefix, await addAssay(cx, assay, prefix, count));
    });
  }
  await eachChild(cx, root, "reductions", async (name, reduction) => {
    const prefix = place(getTextAttribute(reduction.group, "active.assay") ?? null);
    const own = features.get(prefix);
    if (own !== undefined) await addReduction(cx, name, reduction, prefix, own);
  });
  await eachChild(cx, root, "graphs", async (name, graph) => {
    const path = `${place(getTextAttribute(graph.group, "assay.used") ?? null)}obsp/${name}`;
    await addGraph(cx, graph, path, count);
  });
  await eachChild(cx, root, "neighbors", (name, neighbors) =>
    addNeighbors(cx, neighbors, `${main}obsp/${name}`, count),
  );
  await addCommands(cx, root, `${main}uns/commands`);
  for (const key of root.keys) {
    if (!KNOWN.has(key)) await addRest(cx, root, key, main);
  }
  for (const warning of cx.found.warnings) reading.warn(warning);
  const { tables, shape } = createAnnotatedPlans(cx.found, reading);
  for (const [name, nodes] of cx.listed) tables.push(createDerivedPlan(name, nodes, reading));
  const version = getTextAttribute(group, "version") ?? "";
  return { version, shape, tables, failures: cx.found.failures };
};

interface Assays {
  /** Names of the assays. The default assay is first, because messages suggest the first one. */
  readonly names: readonly string[];
  /** Returns the path prefix of an assay's elements. For an unknown assay, this is the default assay's prefix. */
  readonly place: (assay: string | null) => string;
}

async function assayNames(root: OpenedGroup, { reading }: H5SeuratContext): Promise<Assays> {
  const all = root.keys.includes("assays")
    ? (await openGroupWithKeys(await openChild(root.group, "assays", reading), reading)).keys
    : [];
  if (all.length === 0) throw new NotFoundError("no assay in this h5Seurat file");
  if (all.length > MAX_ASSAYS) throw new InvalidDataError(`${all.length} assays, more than ${MAX_ASSAYS}`);
  const active = getTextAttribute(root.group, "active.assay");
  const names = all.toSorted((a, b) => Number(b === active) - Number(a === active));
  const place = (assay: string | null): string =>
    names.length === 1 ? "" : getModalityPath("", assay !== null && names.includes(assay) ? assay : names[0]);
  return { names, place };
}

/** Opens the columns of the cells. Active identities become the column `ident`, as in `FetchData`. */
async function cellColumns({ group, keys }: OpenedGroup, cx: H5SeuratContext): Promise<readonly NamedColumn[]> {
  const columns: NamedColumn[] = [];
  await cx.found.element("obs", async () => {
    if (!keys.includes("meta.data")) return;
    const frame = await openFrame(await openChild(group, "meta.data", cx.reading), cx.reading, (column, error) => {
      cx.found.failures.set(`obs/${column}`, error.locate({ element: `obs/${column}` }));
    });
    for (const column of frame.columns) columns.push(column);
  });
  if (!keys.includes("active.ident")) return columns;
  const name = columns.some(([one]) => one === "ident") ? "active.ident" : "ident";
  await cx.found.element(`obs/${name}`, async () => {
    const ident = await openChild(group, "active.ident", cx.reading);
    // Our writer creates identities for objects without identities, since SeuratDisk requires them.
    if (getTextAttribute(ident, "annarrow") === "made") return;
    const own = ident.kind === "group" ? await listChildNames(ident, cx.reading) : [];
    columns.push([name, await openColumn(ident, own, cx.reading)]);
  });
  return columns;
}

/** Calls `action` for each group below a child of the root. A failure is recorded and does not stop the other calls. */
async function eachChild(
  cx: H5SeuratContext,
  root: OpenedGroup,
  parent: string,
  action: (name: string, child: OpenedGroup) => Promise<void>,
): Promise<void> {
  const group = await openGroup(cx, root, parent);
  for (const name of group?.keys ?? []) {
    await cx.found.element(`${parent}/${name}`, async () => {
      if (group === null) return;
      await action(name, await openGroupWithKeys(await openChild(group.group, name, cx.reading), cx.reading));
    });
  }
}

/** Adds the object's lists, and elements that SeuratDisk does not know. */
async function addRest(cx: H5SeuratContext, { group }: OpenedGroup, key: string, prefix: string): Promise<void> {
  const node: Node | null = await cx.found.element(key, () => openChild(group, key, cx.reading));
  if (node === null) return;
  // Our writer marks the list that contains all of `uns`.
  const isAll = key === "misc" && getTextAttribute(node, "annarrow") === "uns";
  const path = isAll ? `${prefix}uns` : `${prefix}uns/${key}`;
  // An assay may have a list with the same name.
  const own = cx.listed.has(path) ? `${path}.object` : path;
  if (node.kind === "group") await addMapping(cx, own, node);
  else await addAny(cx, own, group, key);
}

/** Adds the log of commands. The arguments of a command are part of the text of its call. */
async function addCommands(cx: H5SeuratContext, root: OpenedGroup, path: string): Promise<void> {
  const commands = await openGroup(cx, root, "commands");
  if (commands === null || commands.keys.length === 0) return;
  const rows: (readonly string[])[] = [];
  await eachChild(cx, root, "commands", async (name, { group }) => {
    rows.push([name, ...COMMAND.map((attribute) => lines(() => getTextListAttribute(group, attribute)))]);
  });
  const columns = ["_index", ...COMMAND].map((name, i): NamedColumn => {
    const array = texts(
      `${path}/${name}`,
      rows.map((row) => row[i]),
    );
    return [name, { plan: { kind: "array", array }, metadata: { kind: "string-array" } }];
  });
  const [[, index], ...rest] = columns;
  if (index.plan.kind === "array") {
    const { array } = index.plan;
    await add(cx, path, () => createFrameTable(path, rest, array));
  }
}

const COMMAND = ["name", "assay.used", "call.string", "time.stamp"];

function lines(read: () => readonly string[] | undefined): string {
  try {
    return (read() ?? []).join("\n");
  } catch (error) {
    if (isAnnarrowError(error)) return "";
    throw error;
  }
}

function texts(path: string, values: readonly string[]): StoredArray {
  const type = { kind: "text", storage: { form: "variable", encoding: "utf-8" } } as const;
  return createMemoryArray(path, type, [values.length], encodeStoredTexts(values));
}
