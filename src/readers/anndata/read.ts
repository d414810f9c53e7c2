/** Reads an AnnData file or group of any version, and returns plans for its tables. */

import type { Group, Node, StoredArray } from "../../containers/tree/container.js";
import type { MappingNode } from "../../jobs/plan/plan.js";
import { getColumnType } from "../../jobs/rows/columns.js";
import { InvalidDataError, NotFoundError } from "../../model/errors.js";
import { createAnnotatedPlans } from "../annotated-plans.js";
import { mapConcurrently } from "../concurrency.js";
import { ABSENT, type Element } from "../element.js";
import {
  listChildNames,
  openChild,
  type ReaderContext,
  type ReadRoot,
  type RootLayout,
  readOrNull,
} from "../reader.js";
import { createDerivedPlan, FoundElements, walkMapping, withWarningsTo } from "../tree.js";
import { isNull } from "./column.js";
import { getNodeEncoding } from "./encoding.js";
import {
  createCompoundFrame,
  findLegacyCategories,
  getRootNames,
  type LegacyCategories,
  listRootSparseNames,
  openRootSparseMatrix,
} from "./legacy.js";
import { openElement, openMappingChild } from "./open-element.js";

const FRAMES = new Set(["obs", "var", "raw/var"]);

const ANNDATA: RootLayout = {
  mappings: ["layers", "obsm", "varm", "obsp", "varp", "uns"],
  others: new Set(),
  needsFrames: true,
  movesGraphs: true,
};

/**
 * Reads the structure of an AnnData group, but not its values.
 * @throws {NotFoundError} if the group must have obs or var, but has neither.
 */
export const readAnnData: ReadRoot = async (root, cx, layout = ANNDATA) => {
  const keys = (await listChildNames(root, cx)).filter((key) => !layout.others.has(key));
  const names = getRootNames(root, keys);
  const places = new Map([...names].map(([key, name]) => [name, key]));
  // The children of these mappings are elements of the dataset, so no derived table lists them.
  const aligned = new Set(["raw", "raw/varm", ...layout.mappings.filter((name) => name !== "uns")]);
  if (layout.needsFrames && !places.has("obs") && !places.has("var")) {
    throw new NotFoundError(`no AnnData here: neither obs nor var among ${keys.slice(0, 10).join(", ") || "nothing"}`);
  }
  const found = new FoundElements();
  const derived: [string, readonly MappingNode[]][] = [];
  const opened = async (name: string): Promise<Node | null> => {
    const key = places.get(name);
    return key === undefined ? null : readOrNull(openChild(root, key, cx));
  };

  const [obs, vars, uns] = await mapConcurrently(["obs", "var", "uns"], opened);
  const frames = { obs, var: vars };
  for (const name of layout.needsFrames ? ["obs", "var"] : []) {
    if (!places.has(name)) found.failures.set(name, new NotFoundError("an AnnData file without it", { element: name }));
  }
  const unsGroup = uns?.kind === "group" ? [["uns", uns] as const] : [];
  const categories = await findLegacyCategories(root, frames, [...unsGroup, ["", root]], cx);
  const skip = new Set(categories.used);
  if (layout.movesGraphs && uns?.kind === "group" && getNodeEncoding(root).type !== "anndata") {
    for (const path of await moveNeighbors(uns, await opened("obsp"), found, cx)) skip.add(path);
  }
  for (const key of await openRootSparse(root, keys, found, cx)) skip.add(key);

  const wanted = [...names].filter(([key, name]) => !skip.has(key) && name !== "raw/cat");
  const parts = await mapConcurrently(wanted, async ([key, name]) => {
    const part = new FoundElements();
    const own = withWarningsTo(part, cx);
    const element = await part.element(name, async () =>
      rootElement(await openChild(root, key, cx), name, aligned, categories, part, own),
    );
    if (element?.kind === "table" && element !== ABSENT) part.tables.set(name, element);
    const nodes =
      element?.kind === "mapping" ? await walkMapping(name, element.group, part, cx, openMappingChild, skip) : null;
    return { name, part, nodes };
  });
  const absent = layout.mappings.filter((name) => !places.has(name));
  for (const { name, part, nodes } of parts) {
    found.add(part);
    if (name === "raw" && nodes !== null && !nodes.some((node) => node.path === "raw/varm")) absent.push("raw/varm");
    if (nodes !== null && !aligned.has(name) && !found.failures.has(name)) derived.push([name, nodes]);
  }
  if (getNodeEncoding(root).type !== "") noteAbsent(found, absent);
  for (const warning of found.warnings) cx.warn(warning);

  const { tables, shape } = createAnnotatedPlans(found, cx);
  for (const [name, nodes] of derived) tables.push(createDerivedPlan(name, nodes, cx));
  return { version: versionOf(root, frames.obs), shape, tables, failures: found.failures };
};

/**
 * Records the mappings that anndata always writes but that are missing from this file, so that copies omit them, too.
 */
function noteAbsent({ tables }: FoundElements, absent: readonly string[]): void {
  const obs = tables.get("obs");
  if (obs === undefined || absent.length === 0) return;
  tables.set("obs", { ...obs, metadata: { ...obs.metadata, absent } });
}

/**
 * Opens a child of the root. Null counts as absent. Before 0.7, dataframes and aligned mappings were compound arrays.
 */
async function rootElement(
  node: Node,
  name: string,
  aligned: ReadonlySet<string>,
  categories: LegacyCategories,
  found: FoundElements,
  cx: ReaderContext,
): Promise<Element> {
  if (node.kind === "array" && isNull(node) && (name === "X" || name === "uns" || aligned.has(name))) return ABSENT;
  if (node.kind === "array" && FRAMES.has(name)) {
    return createCompoundFrame(node, name, name === "obs" || name === "var" ? categories[name] : new Map());
  }
  if (node.kind === "array" && aligned.has(name)) {
    compoundFields(node, name, found);
    return ABSENT;
  }
  return openElement(node, cx);
}

/**
 * Opens matrices from anndata before 0.5, whose arrays are stored at the root under four keys per matrix.
 * @returns the keys of their arrays.
 */
async function openRootSparse(
  root: Group,
  keys: readonly string[],
  found: FoundElements,
  cx: ReaderContext,
): Promise<readonly string[]> {
  const used: string[] = [];
  for (const [name, kind] of listRootSparseNames(keys)) {
    const element = await found.element(name, () => openRootSparseMatrix(root, name, kind, cx));
    if (element?.kind === "table") found.tables.set(name, element);
    const own = `${name}_${kind.slice(0, 3)}_`;
    for (const key of keys) if (key.startsWith(own)) used.push(key);
  }
  return used;
}

/**
 * Moves the graphs in `uns/neighbors` to obsp, as anndata does for files from before 0.7. If obsp already has a graph
 * with the same name, the graph is not moved, so both are preserved.
 * @returns the paths of the graphs that are moved.
 */
async function moveNeighbors(
  uns: Group,
  obsp: Node | null,
  found: FoundElements,
  cx: ReaderContext,
): Promise<readonly string[]> {
  const moved: string[] = [];
  const neighbors = await readOrNull(openChild(uns, "neighbors", cx));
  if (neighbors?.kind !== "group") return moved;
  const keys = (await readOrNull(listChildNames(neighbors, cx))) ?? [];
  const taken = obsp?.kind === "group" ? await readOrNull(listChildNames(obsp, cx)) : [];
  for (const key of ["distances", "connectivities"]) {
    if (!keys.includes(key) || taken?.includes(key)) continue;
    const name = `obsp/${key}`;
    const element = await found.element(name, async () => openElement(await openChild(neighbors, key, cx), cx));
    if (element?.kind === "mapping" || (element?.kind === "table" && element.shape.length !== 2)) continue;
    moved.push(`uns/neighbors/${key}`);
    if (element?.kind === "table") found.tables.set(name, element);
  }
  return moved;
}

/** Opens obsm or varm from anndata before 0.7, which is a compound array with one field per key. */
function compoundFields(array: StoredArray, name: string, found: FoundElements): void {
  if (array.type.kind !== "record" || array.shape?.length !== 1) {
    throw new InvalidDataError("neither a mapping nor a compound array of one dimension");
  }
  const [rows] = array.shape;
  for (const [i, field] of array.type.fields.entries()) {
    const plan = { kind: "field", array, field: i } as const;
    const shape = [rows, ...field.shape];
    found.tables.set(`${name}/${field.name}`, {
      kind: "table",
      fields: [{ name: "value", type: getColumnType(plan), nullable: false }],
      metadata: { kind: field.type.kind === "text" ? "string-array" : "array", shape },
      rows,
      plan: { kind: "columns", columns: [plan] },
      shape,
    });
  }
}

/** Returns the version stated in the file, or otherwise the anndata releases that wrote its layout. */
function versionOf(root: Group, obs: Node | null): string {
  const { type, version } = getNodeEncoding(root);
  if (type !== "") return version;
  if (obs?.kind === "array") return "<0.7";
  return obs !== null && getNodeEncoding(obs).version === "0.1.0" ? "0.7" : "";
}
