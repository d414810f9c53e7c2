/**
 * Reads feature-barcode matrix files from all versions of Cell Ranger. The tables have the names that AnnData uses.
 */

import { encodeStoredTexts } from "../../arrow/text.js";
import type { Group, Node, StoredArray } from "../../containers/tree/container.js";
import { createTablePlan, type MappingNode, type TablePlan } from "../../jobs/plan/plan.js";
import { NotFoundError, UnsupportedError } from "../../model/errors.js";
import { getRowAxis } from "../../tables/axes.js";
import { mapConcurrently, waitForBoth } from "../concurrency.js";
import { createArrayTable, createNullTable, type Element, type TableElement } from "../element.js";
import { type DatasetPlans, listChildNames, openChild, type ReaderContext, readOrNull } from "../reader.js";
import { createDerivedPlan, createMappingNode, FoundElements, walkMapping, withWarningsTo } from "../tree.js";
import { detectOtherFileKind, findMatrices, type MatrixGroup } from "./find-matrices.js";
import { type AxisFrame, COUNTS, openBarcodeAxis, openCountsElement, openFeatureAxis } from "./matrix.js";

interface Part extends UsedMatrix {
  readonly prefix: string;
  readonly found: FoundElements;
}

/**
 * Reads the structure, but no values except shapes. A single matrix becomes `X`, `obs` and `var`. If there are several
 * matrices, one per genome, each has these tables, prefixed with the name of the genome.
 * @throws {UnsupportedError} for 10x Genomics files that contain no matrix.
 */
export async function readCellRanger(root: Group, cx: ReaderContext): Promise<DatasetPlans> {
  const keys = await listChildNames(root, cx);
  const other = detectOtherFileKind(root, keys);
  if (other !== null) {
    throw new UnsupportedError(`${other}; this version of annarrow reads feature-barcode matrices of 10x Genomics`);
  }
  const matrices = await findMatrices(root, keys, cx.options);
  const [first] = matrices;
  if (first === undefined) throw new NotFoundError("no feature-barcode matrix here");
  const parts = await mapConcurrently(matrices, (matrix) =>
    readMatrix(matrix, matrices.length > 1 ? `${matrix.name}/` : "", cx),
  );

  const found = new FoundElements();
  for (const part of parts) found.add(part.found);
  const isAlone = first.group === root;
  const genomes = matrices.filter((matrix) => !matrix.keys.includes("features") && matrix.name !== "matrix");
  const nodes = await readUnstructured(
    isAlone ? await parentOf(root, cx) : root,
    parts,
    { whole: !isAlone, genome: genomes.length === 1 && matrices.length === 1 ? first.name : null },
    found,
    withWarningsTo(found, cx),
  );
  for (const warning of found.warnings) cx.warn(warning);

  const tables: TablePlan[] = [...found.tables].map(([name, element]) => {
    found.noteColumns(name, element);
    const prefix = parts.find((part) => name.startsWith(part.prefix))?.prefix ?? "";
    return createTablePlan({ ...element, name, axis: getRowAxis(name.slice(prefix.length)), text: cx.text });
  });
  if (nodes.length > 0) tables.push(createDerivedPlan("uns", nodes, cx));
  const version = first.keys.includes("features") ? "3" : "2";
  return { version, shape: parts.length === 1 ? shapeOf(found) : null, tables, failures: found.failures };
}

async function readMatrix(matrix: MatrixGroup, prefix: string, plain: ReaderContext): Promise<Part> {
  const found = new FoundElements();
  const cx = withWarningsTo(found, plain);
  const own = { obs: new FoundElements(), var: new FoundElements() };
  const [obs, vars] = await waitForBoth(
    own.obs.element(`${prefix}obs`, () =>
      openBarcodeAxis(matrix, `${prefix}obs`, own.obs, withWarningsTo(own.obs, plain)),
    ),
    own.var.element(`${prefix}var`, () =>
      openFeatureAxis(matrix, `${prefix}var`, own.var, withWarningsTo(own.var, plain)),
    ),
  );
  const lengths = { barcodes: obs?.element.rows ?? null, features: vars?.element.rows ?? null };
  const counts = await found.element(`${prefix}X`, () => openCountsElement(matrix, lengths, cx));
  if (counts !== null) found.tables.set(`${prefix}X`, counts);
  if (obs !== null) own.obs.tables.set(`${prefix}obs`, obs.element);
  if (vars !== null) own.var.tables.set(`${prefix}var`, vars.element);
  found.add(own.obs);
  found.add(own.var);
  return { ...matrix, prefix, found, ...(await usedOf(matrix, [obs, vars], found, cx)) };
}

/**
 * Returns the arrays that the tables use. An array that could not be read also counts as used, so that it fails only
 * once.
 */
async function usedOf(
  { group, keys }: MatrixGroup,
  axes: readonly (AxisFrame | null)[],
  { failures }: FoundElements,
  cx: ReaderContext,
): Promise<Pick<UsedMatrix, "used" | "features">> {
  const failed = [...failures.values()].flatMap(({ element }) => element?.slice(group.path.length + 1) ?? []);
  const used = new Set([...COUNTS, "barcodes", ...failed, ...axes.flatMap((axis) => axis?.used ?? [])]);
  const features = keys.includes("features") ? await readOrNull(openChild(group, "features", cx)) : null;
  const below = features?.kind === "group" ? await readOrNull(listChildNames(features, cx)) : null;
  if (features?.kind !== "group" || below === null) return { used, features: null };
  return { used, features: { group: features, keys: below } };
}

async function parentOf(root: Group, { container, options }: ReaderContext): Promise<Group> {
  let parent = container.root;
  for (const name of root.path.split("/").slice(0, -1)) {
    const node = await parent.open(name, options);
    if (node.kind === "group") parent = node;
  }
  return parent;
}

function shapeOf({ tables }: FoundElements): readonly [number, number] | null {
  const [height, width] = tables.get("X")?.shape ?? [];
  const cells = tables.get("obs")?.rows ?? height;
  const features = tables.get("var")?.rows ?? width;
  return cells === undefined || features === undefined ? null : [cells, features];
}

// `uns`: the attributes of the root, and all arrays that are not part of a matrix, under their paths.

/** A matrix with those paths below its group that other tables use. */
interface UsedMatrix extends MatrixGroup {
  readonly used: ReadonlySet<string>;
  readonly features: Pick<MatrixGroup, "group" | "keys"> | null;
}

/** Children of `features` that are not columns. They become elements at the top level of `uns`. */
const OF_FEATURES: readonly string[] = ["_all_tag_keys", "target_sets"];

/** Attributes in which PyTables describes its own storage. */
const PYTABLES = new Set(["CLASS", "FILTERS", "PYTABLES_FORMAT_VERSION", "TITLE", "VERSION"]);

/**
 * Adds the elements of `uns`.
 * @param parent the group that contains the matrices; its attributes describe them.
 * @param whole whether the parent's other children also belong to the dataset.
 * @param genome the genome, if it is known only from the name of the matrix's group; otherwise null.
 * @returns the nodes for the derived table.
 */
async function readUnstructured(
  parent: Group,
  matrices: readonly UsedMatrix[],
  { whole, genome }: { readonly whole: boolean; readonly genome: string | null },
  found: FoundElements,
  cx: ReaderContext,
): Promise<readonly MappingNode[]> {
  const above = whole ? await listChildNames(parent, cx) : [];
  const nodes: MappingNode[] = [];
  const add = async (path: string, group: Group, skipped: ReadonlySet<string>) => {
    for (const node of await walkMapping(path, group, found, cx, open, skipped)) nodes.push(node);
  };
  const lifted = new Set<string>();
  // If there are several matrices, a name at the top level of `uns` would not identify a matrix.
  for (const { name, features } of matrices.length === 1 ? matrices : []) {
    if (features === null) continue;
    const isLifted = (key: string) => OF_FEATURES.includes(key) && !above.includes(key);
    const others = features.keys.filter((key) => !isLifted(key)).map((key) => `uns/${key}`);
    await add("uns", features.group, new Set(others));
    for (const key of features.keys.filter(isLifted)) lifted.add(`uns/${name}/features/${key}`);
  }
  const skip = new Set([...lifted, ...matrices.flatMap((matrix) => usedPaths(matrix, lifted))]);
  if (whole) await add("uns", parent, skip);
  else {
    for (const { name, group } of matrices.filter((one) => !skip.has(`uns/${one.name}`))) {
      nodes.push({ path: `uns/${name}`, kind: "dict", type: null, shape: null, value: null });
      await add(`uns/${name}`, group, skip);
    }
  }
  const taken = new Set(nodes.map(({ path }) => path));
  for (const { part, node } of (await found.element("uns", () => attributeNodes(parent, cx))) ?? []) {
    if (node !== null && taken.has(node.path)) {
      cx.warn(`${node.path}: an attribute with the name of an array or group; the array or group is read`);
      continue;
    }
    found.add(part);
    if (node !== null) nodes.push(node);
  }
  if (genome !== null && !nodes.some(({ path }) => path === "uns/genome")) {
    const element = arrayElement(textOf(genome, "uns/genome"));
    found.tables.set("uns/genome", element);
    nodes.push(createMappingNode("uns/genome", element));
  }
  return nodes;
}

/** Returns the paths that other tables use, and the groups that contain nothing else. */
function usedPaths({ name, keys, used, features }: UsedMatrix, lifted: ReadonlySet<string>): string[] {
  const base = `uns/${name}`;
  const paths = new Set([...used].map((path) => `${base}/${path}`));
  const isRead = (path: string) => paths.has(path) || lifted.has(path);
  if (features?.keys.every((key) => isRead(`${base}/features/${key}`))) paths.add(`${base}/features`);
  if (keys.every((key) => isRead(`${base}/${key}`))) paths.add(base);
  return [...paths];
}

interface AttributeNode {
  readonly part: FoundElements;
  readonly node: MappingNode | null;
}

async function attributeNodes(parent: Group, cx: ReaderContext): Promise<readonly AttributeNode[]> {
  const attributes = await parent.openAttributes?.(cx.options);
  const isOwn = ([name]: readonly [string, unknown]) =>
    !(parent.attributes.has("PYTABLES_FORMAT_VERSION") && PYTABLES.has(name));
  const own = [...(attributes ?? [])].filter(isOwn).sort(([a], [b]) => (a < b ? -1 : 1));
  return mapConcurrently(own, async ([name, openOne]): Promise<AttributeNode> => {
    const part = new FoundElements();
    const path = `uns/${name}`;
    const element = await part.element(path, async () => arrayElement(await openOne()));
    if (element === null) return { part, node: null };
    part.tables.set(path, element);
    return { part, node: createMappingNode(path, element) };
  });
}

function open(node: Node): Element {
  if (node.kind === "group") return { kind: "mapping", type: "dict", group: node };
  return arrayElement(node);
}

/** Makes a table. Its metadata omit the width of stored text, which AnnData does not preserve. */
function arrayElement(array: StoredArray): TableElement {
  if (array.shape === null) return createNullTable({});
  const element = createArrayTable(array, { kind: kindOf(array), shape: array.shape });
  const { storage, ...metadata } = element.metadata;
  return { ...element, metadata };
}

function kindOf({ type, shape }: StoredArray): string {
  if (type.kind === "record") return "rec-array";
  const text = type.kind === "text";
  if (shape?.length === 0) return text ? "string" : "numeric-scalar";
  return text ? "string-array" : "array";
}

function textOf(text: string, path: string): StoredArray {
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), shape: [], chunks: null },
    type: { kind: "text", storage: { form: "variable", encoding: "utf-8" } },
    read: async () => encodeStoredTexts([text]),
  };
}
