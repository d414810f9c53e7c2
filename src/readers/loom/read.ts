/** Reads Loom files of all versions and dialects. Any group may be missing. */

import type { AttributeValue, Group, Node, StoredArray } from "../../containers/tree/container.js";
import { createTablePlan, type TablePlan } from "../../jobs/plan/plan.js";
import { InvalidDataError, NotFoundError } from "../../model/errors.js";
import { countElements } from "../../model/stored.js";
import { mapConcurrently } from "../concurrency.js";
import type { TableElement } from "../element.js";
import { type DatasetPlans, listChildNames, openChild, type ReaderContext, readOrNull } from "../reader.js";
import { createDerivedPlan, FoundElements, walkMapping, withWarningsTo } from "../tree.js";
import { createLoomArrayElement, getLastModified, type LoomContext } from "./array.js";
import { type DerivedTables, openAttributeTable } from "./attribute-table.js";
import { openGlobal, readGlobals } from "./globals.js";
import { openGraphElement } from "./graph.js";
import {
  createColumnNameReader,
  createLayerElement,
  createMatrixElement,
  findLoomMatrixShape,
  inferAxisLengths,
  type Lengths,
  type MatrixShape,
} from "./matrix.js";

/** Groups that the specification requires, each followed by its name before 2.0. */
const WANTED = [["row_attrs"], ["col_attrs"], ["row_graphs", "row_edges"], ["col_graphs", "col_edges"]] as const;

/** The order of the tables. Other children of the root come after them. */
const ORDER = ["layers", "row_attrs", "col_attrs", "row_graphs", "row_edges", "col_graphs", "col_edges"];

/** Reads the structure, but not the values of matrices and attributes. The ends of edges in graphs are checked. */
export async function readLoom(root: Group, plain: ReaderContext): Promise<DatasetPlans> {
  const keys = await listChildNames(root, plain);
  const version = await specVersion(root, keys, plain);
  const cx: LoomContext = { ...plain, escaped: version.major === null || version.major < 3 };
  warnOfDialect(keys, version, cx);

  const found = new FoundElements();
  const matrix = await openMatrix(root, keys, found, cx);
  const lengths = matrix ?? (await inferAxisLengths(root, keys, cx));
  const others = keys.filter((key) => key !== "matrix" && key !== "attrs" && !ORDER.includes(key));
  const names = [...ORDER.filter((key) => keys.includes(key)), ...others];
  const parts = await mapConcurrently(names, (name) => openRootElement(root, name, { matrix, lengths }, cx));
  parts.push(await openGlobals(root, keys, cx));
  const listed = parts.flatMap((part) => part.listed);
  for (const part of parts) found.add(part.found);
  for (const warning of found.warnings) cx.warn(warning);

  const namesOfColumns = createColumnNameReader(found.tables.get("col_attrs"), cx);
  const tables: TablePlan[] = [...found.tables].map(([name, element]) => {
    const columnNames = name === "matrix" || name.startsWith("layers/") ? namesOfColumns : null;
    return createTablePlan({ ...element, name, axis: axisOf(name), text: cx.text, columnNames });
  });
  for (const [name, nodes] of listed) tables.push(createDerivedPlan(name, nodes, cx));
  const [rows, cols] = lengths;
  const shape = rows === null || cols === null ? null : ([rows, cols] as const);
  return { version: version.text, shape, tables, failures: found.failures };
}

/** Warns about missing groups, and about a version that cannot be parsed. */
function warnOfDialect(keys: readonly string[], { major, odd }: LoomVersion, cx: ReaderContext): void {
  const missing = WANTED.filter((names) => !names.some((name) => keys.includes(name))).map(([name]) => name);
  if (major !== null && major >= 3 && !keys.includes("attrs")) cx.warn("no group attrs, which 3.0.0 asks for");
  if (missing.length > 0) cx.warn(`no group ${missing.join(", ")}: read as if there were nothing in it`);
  if (odd !== null) {
    cx.warn(`LOOM_SPEC_VERSION is ${JSON.stringify(odd)}, no version: read as a file that says none`);
  }
}

/** Opens the main matrix. If that fails, the other elements are still read. */
async function openMatrix(
  root: Group,
  keys: readonly string[],
  found: FoundElements,
  cx: LoomContext,
): Promise<MatrixShape | null> {
  let shape: MatrixShape | null = null;
  const element = await found.element("matrix", async () => {
    if (!keys.includes("matrix")) throw new NotFoundError("a Loom file without it");
    const node = await openChild(root, "matrix", cx);
    shape = findLoomMatrixShape(node);
    return createMatrixElement(node, cx);
  });
  if (element === null) return null;
  const { last_modified: file } = getLastModified(root);
  const metadata = { ...element.metadata, ...(file === undefined ? {} : { file_last_modified: file }) };
  found.tables.set("matrix", { ...element, metadata });
  return shape;
}

/** Opens the global attributes. The root's attributes are read even if `/attrs` cannot be read. */
async function openGlobals(root: Group, keys: readonly string[], cx: LoomContext): Promise<RootElement> {
  const found = new FoundElements();
  const attrs = keys.includes("attrs")
    ? await found.element("attrs", async () => checkGroup(await openChild(root, "attrs", cx)))
    : null;
  const nodes = await readGlobals(root, attrs, found, withWarningsTo(found, cx));
  return { found, listed: nodes === null ? [] : [["attrs", nodes]] };
}

/** Returns the axis that the rows of a table correspond to; null for other tables. */
function axisOf(name: string): "row" | "col" | null {
  if (name === "matrix" || name === "row_attrs" || name.startsWith("layers/")) return "row";
  return name === "col_attrs" ? "col" : null;
}

interface LoomVersion {
  /** The version without the `v` that the draft of 3.0.0 has; `""` if the file has no version. */
  readonly text: string;
  /** The stored text, if it cannot be parsed as a version. */
  readonly odd: string | null;
  readonly major: number | null;
}

const VERSION = /^v?((\d+)(?:\.\d+){0,2})$/;

/** Maximum number of elements in an array that is read as the version, which should be a single text. */
const MAX_ELEMENTS = 64;

/** Reads `LOOM_SPEC_VERSION`: a dataset in `/attrs` since 3.0.0, an attribute of the root before that. */
async function specVersion(root: Group, keys: readonly string[], cx: ReaderContext): Promise<LoomVersion> {
  const stored = (await globalVersion(root, keys, cx)) ?? single(root.attributes.get("LOOM_SPEC_VERSION"));
  if (stored === undefined) return { text: "", odd: null, major: null };
  const match = VERSION.exec(stored);
  return match === null
    ? { text: "", odd: stored, major: null }
    : { text: match[1], odd: null, major: Number(match[2]) };
}

/** Reads `/attrs/LOOM_SPEC_VERSION`; null if it is absent, and `""` if it is not a text. */
async function globalVersion(root: Group, keys: readonly string[], cx: ReaderContext): Promise<string | null> {
  if (!keys.includes("attrs")) return null;
  const attrs = await readOrNull(openChild(root, "attrs", cx));
  if (attrs?.kind !== "group") return null;
  const node = await readOrNull(openChild(attrs, "LOOM_SPEC_VERSION", cx));
  if (node?.kind !== "array") return null;
  return (await readOrNull(firstText(node, cx))) ?? "";
}

async function firstText(array: StoredArray, cx: ReaderContext): Promise<string | null> {
  const { shape, type } = array;
  if (shape === null || type.kind !== "text" || countElements(shape) === 0 || countElements(shape) > MAX_ELEMENTS)
    return null;
  const values = await array.read(0, 1, cx.options);
  return values.kind === "variable" && values.offsets.length > 1
    ? new TextDecoder().decode(values.bytes.subarray(values.offsets[0], values.offsets[1]))
    : null;
}

function single(value: AttributeValue | undefined): string | undefined {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "string" ? one : undefined;
}

// Opens a child of the root: layers, attributes, graphs, and children that are not part of the format.

interface RootElement {
  readonly found: FoundElements;
  readonly listed: DerivedTables;
}

interface MatrixSizes {
  /** null if the matrix cannot be read. */
  readonly matrix: MatrixShape | null;
  readonly lengths: Lengths;
}

/** Opens a child of the root. Arrays that are not part of the format become tables under their paths. */
async function openRootElement(
  root: Group,
  name: string,
  sizes: MatrixSizes,
  plain: LoomContext,
): Promise<RootElement> {
  const found = new FoundElements();
  const cx = withWarningsTo(found, plain);
  const listed = await found.element(name, async (): Promise<DerivedTables> => {
    const node = await openChild(root, name, cx);
    switch (name) {
      case "layers":
        await eachChild(name, checkGroup(node), found, cx, (child, at) => createLayerElement(child, sizes.matrix, at));
        return [];
      case "row_attrs":
      case "col_attrs": {
        const axis = name === "row_attrs" ? "rows" : "columns";
        const attributes = { name, group: checkGroup(node), axis, size: lengthOf(sizes, axis) } as const;
        const table = await openAttributeTable(attributes, found, cx);
        found.tables.set(name, table.element);
        return table.listed;
      }
      case "row_graphs":
      case "row_edges":
      case "col_graphs":
      case "col_edges": {
        const axis = name.startsWith("row") ? "rows" : "columns";
        await eachChild(name, checkGroup(node), found, cx, (child, at) =>
          openGraphElement(child, lengthOf(sizes, axis), at),
        );
        return [];
      }
      default:
        if (node.kind === "group")
          return [[name, await walkMapping(name, node, found, cx, (one) => openGlobal(one, cx))]];
        found.tables.set(name, createLoomArrayElement(node, cx));
        return [];
    }
  });
  return { found, listed: listed ?? [] };
}

async function eachChild(
  parent: string,
  group: Group,
  found: FoundElements,
  cx: LoomContext,
  open: (node: Node, cx: LoomContext) => TableElement | Promise<TableElement>,
): Promise<void> {
  const names = await listChildNames(group, cx);
  const parts = await mapConcurrently(names, async (name) => {
    const part = new FoundElements();
    const path = `${parent}/${name}`;
    const element = await part.element(path, async () =>
      open(await openChild(group, name, cx), withWarningsTo(part, cx)),
    );
    if (element !== null) part.tables.set(path, element);
    return part;
  });
  for (const part of parts) found.add(part);
}

/** @throws {InvalidDataError} if the node is an array. */
function checkGroup(node: Node): Group {
  if (node.kind === "group") return node;
  throw new InvalidDataError("an array, a group is needed");
}

function lengthOf({ lengths: [rows, cols] }: MatrixSizes, axis: "rows" | "columns"): number {
  const length = axis === "rows" ? rows : cols;
  if (length !== null) return length;
  throw new InvalidDataError(`nothing tells how many ${axis} there are`);
}
