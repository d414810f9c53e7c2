/** `uns`: the attributes of the root, and all arrays that are not part of a matrix, by their paths. */

import { storedTexts } from "../../arrow/text.js";
import type { Group, Node, StoredArray } from "../../containers/tree/container.js";
import type { MappingNode } from "../../jobs/plan/plan.js";
import { mapConcurrently } from "../concurrency.js";
import { arrayTable, type Element, nullTable, type TableElement } from "../element.js";
import { childNames, type ReaderContext } from "../reader.js";
import { FoundElements, nodeOf, walkMapping } from "../tree.js";
import type { MatrixGroup } from "./find-matrices.js";

/** A matrix with the paths below its group that other tables use. */
export interface UsedMatrix extends MatrixGroup {
  readonly used: ReadonlySet<string>;
  readonly features: Pick<MatrixGroup, "group" | "keys"> | null;
}

/** Children of `features` that are not columns; they are elements at the top of `uns`. */
const OF_FEATURES: readonly string[] = ["_all_tag_keys", "target_sets"];

/** Attributes of PyTables about its own storage. */
const PYTABLES = new Set(["CLASS", "FILTERS", "PYTABLES_FORMAT_VERSION", "TITLE", "VERSION"]);

/**
 * Adds the elements of `uns`.
 * @param parent the group that holds the matrices; its attributes describe them.
 * @param whole whether the parent's other children belong to the dataset too.
 * @param genome the genome that only the name of the matrix's group tells; null if there is none.
 * @returns the nodes for the derived table.
 */
export async function readUnstructured(
  parent: Group,
  matrices: readonly UsedMatrix[],
  { whole, genome }: { readonly whole: boolean; readonly genome: string | null },
  found: FoundElements,
  cx: ReaderContext,
): Promise<readonly MappingNode[]> {
  const above = whole ? await childNames(parent, cx) : [];
  const nodes: MappingNode[] = [];
  const add = async (path: string, group: Group, skipped: ReadonlySet<string>) => {
    for (const node of await walkMapping(path, group, found, cx, open, skipped)) nodes.push(node);
  };
  const lifted = new Set<string>();
  // With several matrices, a name at the top of `uns` would not tell its matrix.
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
    nodes.push(nodeOf("uns/genome", element));
  }
  return nodes;
}

/** The paths that other tables use, and the groups that hold nothing else. */
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
    return { part, node: nodeOf(path, element) };
  });
}

function open(node: Node): Element {
  if (node.kind === "group") return { kind: "mapping", type: "dict", group: node };
  return arrayElement(node);
}

/** Makes a table; its metadata leave out the width of stored text, which AnnData does not keep. */
function arrayElement(array: StoredArray): TableElement {
  if (array.shape === null) return nullTable({});
  const element = arrayTable(array, { kind: kindOf(array), shape: array.shape });
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
    read: async () => storedTexts([text]),
  };
}
