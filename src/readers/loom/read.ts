/** Reads Loom files of all versions and dialects. Any group may be missing. */

import type { AttributeValue, Group, StoredArray } from "../../containers/tree/container.js";
import type { TablePlan } from "../../jobs/plan/plan.js";
import { NotFoundError } from "../../model/errors.js";
import { product } from "../../model/stored.js";
import { mapConcurrently } from "../concurrency.js";
import { childNames, type DatasetPlans, openChild, orNull, type ReaderContext } from "../reader.js";
import { derivedPlan, FoundElements, withWarningsTo } from "../tree.js";
import { type LoomContext, lastModified } from "./array.js";
import { readGlobals } from "./globals.js";
import { columnNames, inferredLengths, type MatrixShape, matrixElement, matrixShape } from "./matrix.js";
import { groupOf, openRootElement, type RootElement } from "./root-element.js";

/** Groups that the specification requires, each with its name before 2.0. */
const WANTED = [["row_attrs"], ["col_attrs"], ["row_graphs", "row_edges"], ["col_graphs", "col_edges"]] as const;

/** The order of the tables; other children of the root follow. */
const ORDER = ["layers", "row_attrs", "col_attrs", "row_graphs", "row_edges", "col_graphs", "col_edges"];

/** Reads the structure without the values of matrices and attributes; the ends of graphs' edges are checked. */
export async function readLoom(root: Group, plain: ReaderContext): Promise<DatasetPlans> {
  const keys = await childNames(root, plain);
  const version = await specVersion(root, keys, plain);
  const cx: LoomContext = { ...plain, escaped: version.major === null || version.major < 3 };
  warnOfDialect(keys, version, cx);

  const found = new FoundElements();
  const matrix = await openMatrix(root, keys, found, cx);
  const lengths = matrix ?? (await inferredLengths(root, keys, cx));
  const others = keys.filter((key) => key !== "matrix" && key !== "attrs" && !ORDER.includes(key));
  const names = [...ORDER.filter((key) => keys.includes(key)), ...others];
  const parts = await mapConcurrently(names, (name) => openRootElement(root, name, { matrix, lengths }, cx));
  parts.push(await openGlobals(root, keys, cx));
  const listed = parts.flatMap((part) => part.listed);
  for (const part of parts) found.add(part.found);
  for (const warning of found.warnings) cx.warn(warning);

  const namesOfColumns = columnNames(found.tables.get("col_attrs"), cx);
  const tables: TablePlan[] = [...found.tables].map(([name, element]) => ({
    name,
    fields: element.fields,
    metadata: element.metadata,
    schemaMetadata: new Map(),
    rows: element.rows,
    derived: false,
    axis: axisOf(name),
    plan: element.plan,
    text: cx.text,
    columnNames: name === "matrix" || name.startsWith("layers/") ? namesOfColumns : null,
  }));
  for (const [name, nodes] of listed) tables.push(derivedPlan(name, nodes, cx));
  const [rows, cols] = lengths;
  const shape = rows === null || cols === null ? null : ([rows, cols] as const);
  return { version: version.text, shape, tables, failures: found.failures };
}

/** Warns of the groups that a file lacks, and of a version that cannot be understood. */
function warnOfDialect(keys: readonly string[], { major, odd }: LoomVersion, cx: ReaderContext): void {
  const missing = WANTED.filter((names) => !names.some((name) => keys.includes(name))).map(([name]) => name);
  if (major !== null && major >= 3 && !keys.includes("attrs")) cx.warn("no group attrs, which 3.0.0 asks for");
  if (missing.length > 0) cx.warn(`no group ${missing.join(", ")}: read as if there were nothing in it`);
  if (odd !== null) {
    cx.warn(`LOOM_SPEC_VERSION is ${JSON.stringify(odd)}, no version: read as a file that says none`);
  }
}

/** Opens the main matrix; its failure does not hide the other elements. */
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
    shape = matrixShape(node);
    return matrixElement(node, cx);
  });
  if (element === null) return null;
  const { last_modified: file } = lastModified(root);
  const metadata = { ...element.metadata, ...(file === undefined ? {} : { file_last_modified: file }) };
  found.tables.set("matrix", { ...element, metadata });
  return shape;
}

/** Opens the globals; the attributes of the root are read even if `/attrs` cannot be. */
async function openGlobals(root: Group, keys: readonly string[], cx: LoomContext): Promise<RootElement> {
  const found = new FoundElements();
  const attrs = keys.includes("attrs")
    ? await found.element("attrs", async () => groupOf(await openChild(root, "attrs", cx)))
    : null;
  const nodes = await readGlobals(root, attrs, found, withWarningsTo(found, cx));
  return { found, listed: nodes === null ? [] : [["attrs", nodes]] };
}

/** The axis that the rows of a table are. */
function axisOf(name: string): "row" | "col" | null {
  if (name === "matrix" || name === "row_attrs" || name.startsWith("layers/")) return "row";
  return name === "col_attrs" ? "col" : null;
}

interface LoomVersion {
  /** Without the `v` of the draft of 3.0.0; `""` if the file has no version. */
  readonly text: string;
  /** The stored text, if it is not a version. */
  readonly odd: string | null;
  readonly major: number | null;
}

const VERSION = /^v?((\d+)(?:\.\d+){0,2})$/;

/** Most elements of an array that is read as the version, which is one text. */
const MAX_ELEMENTS = 64;

/** Reads `LOOM_SPEC_VERSION`: a dataset of `/attrs` since 3.0.0, an attribute of the root before. */
async function specVersion(root: Group, keys: readonly string[], cx: ReaderContext): Promise<LoomVersion> {
  const stored = (await globalVersion(root, keys, cx)) ?? single(root.attributes.get("LOOM_SPEC_VERSION"));
  if (stored === undefined) return { text: "", odd: null, major: null };
  const match = VERSION.exec(stored);
  return match === null
    ? { text: "", odd: stored, major: null }
    : { text: match[1], odd: null, major: Number(match[2]) };
}

/** Reads `/attrs/LOOM_SPEC_VERSION`; null if it is absent, `""` if it is not a text. */
async function globalVersion(root: Group, keys: readonly string[], cx: ReaderContext): Promise<string | null> {
  if (!keys.includes("attrs")) return null;
  const attrs = await orNull(openChild(root, "attrs", cx));
  if (attrs?.kind !== "group") return null;
  const node = await orNull(openChild(attrs, "LOOM_SPEC_VERSION", cx));
  if (node?.kind !== "array") return null;
  return (await orNull(firstText(node, cx))) ?? "";
}

async function firstText(array: StoredArray, cx: ReaderContext): Promise<string | null> {
  const { shape, type } = array;
  if (shape === null || type.kind !== "text" || product(shape) === 0 || product(shape) > MAX_ELEMENTS) return null;
  const values = await array.read(0, 1, cx.options);
  return values.kind === "variable" && values.offsets.length > 1
    ? new TextDecoder().decode(values.bytes.subarray(values.offsets[0], values.offsets[1]))
    : null;
}

function single(value: AttributeValue | undefined): string | undefined {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "string" ? one : undefined;
}
