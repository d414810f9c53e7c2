/** An AnnData file or group of any age -> the plans of its tables. */

import type { Column } from "../../arrow/column.js";
import { jsonOf } from "../../arrow/json.js";
import { textValues } from "../../arrow/text.js";
import type { Group, Node, StoredArray } from "../../containers/container.js";
import type { AnnarrowError } from "../../errors.js";
import { InvalidDataError, isAnnarrowError, NotFoundError } from "../../errors.js";
import { columnRows, columnType, readColumn, ScanState } from "../../jobs/columns.js";
import { NODE_FIELDS } from "../../jobs/nodes.js";
import type { MappingNode, TablePlan } from "../../jobs/plan.js";
import { isNull } from "./array.js";
import { encodingOf } from "./attributes.js";
import { type Axes, axesOf, checkAxes } from "./axes.js";
import { type Context, orNull } from "./context.js";
import { compoundFrame } from "./dataframe.js";
import { ABSENT, type Element, type TableElement } from "./element.js";
import { legacyCategories, rootNames, scatteredNames, scatteredSparse } from "./legacy.js";
import { openElement } from "./open-element.js";
import { Found, walk } from "./tree.js";

/** Mappings whose children are elements of the dataset: no table lists them. */
const ALIGNED = new Set(["layers", "obsm", "varm", "obsp", "varp", "raw", "raw/varm"]);
const FRAMES = new Set(["obs", "var", "raw/var"]);

export interface AnnDataPlans {
  readonly version: string;
  readonly shape: readonly [number, number] | null;
  readonly tables: readonly TablePlan[];
  readonly failures: ReadonlyMap<string, AnnarrowError>;
}

/**
 * Reads the structure of an AnnData group, no values.
 * @throws {NotFoundError} where the group has neither obs nor var.
 */
export async function readAnnData(root: Group, cx: Context): Promise<AnnDataPlans> {
  const keys = await root.keys(cx.options);
  const names = rootNames(root, keys);
  const places = new Map([...names].map(([key, name]) => [name, key]));
  if (!places.has("obs") && !places.has("var")) {
    throw new NotFoundError(`no AnnData here: neither obs nor var among ${keys.slice(0, 10).join(", ") || "nothing"}`);
  }
  const found = new Found();
  const derived: [string, readonly MappingNode[]][] = [];
  const opened = async (name: string): Promise<Node | null> => {
    const key = places.get(name);
    return key === undefined ? null : orNull(root.open(key, cx.options));
  };

  const frames = { obs: await opened("obs"), var: await opened("var") };
  const uns = await opened("uns");
  const unsGroup = uns?.kind === "group" ? [["uns", uns] as const] : [];
  const categories = await legacyCategories(root, frames, [...unsGroup, ["", root]], cx);
  const skip = new Set(categories.used);
  for (const name of ["obs", "var"] as const) {
    if (!places.has(name)) found.failures.set(name, new NotFoundError("an AnnData file without it", { element: name }));
  }
  if (uns?.kind === "group" && encodingOf(root).type !== "anndata") await moveNeighbors(uns, found, skip, cx);
  const scattered = scatteredNames(keys);
  for (const [name, kind] of scattered) {
    const element = await found.element(name, () => scatteredSparse(root, name, kind, cx));
    if (element?.kind === "table") found.tables.set(name, element);
    for (const key of keys) if (key.startsWith(`${name}_${kind.slice(0, 3)}_`)) skip.add(key);
  }

  for (const [key, name] of names) {
    if (skip.has(key) || name === "raw/cat") continue;
    const element = await found.element(name, async (): Promise<Element> => {
      const node = await root.open(key, cx.options);
      if (node.kind === "array" && isNull(node) && (name === "X" || name === "uns" || ALIGNED.has(name))) return ABSENT;
      if (node.kind === "array" && FRAMES.has(name)) {
        const own = name === "obs" || name === "var" ? categories[name] : new Map<string, StoredArray>();
        return compoundFrame(node, name, own);
      }
      if (node.kind === "array" && ALIGNED.has(name)) {
        compoundFields(node, name, found);
        return ABSENT;
      }
      return openElement(node, cx);
    });
    if (element === null || element === ABSENT) continue;
    if (element.kind === "table") {
      found.tables.set(name, element);
    } else {
      const nodes = await walk(name, element.group, found, cx, skip);
      if (!ALIGNED.has(name) && !found.failures.has(name)) derived.push([name, nodes]);
    }
  }

  const axes: Axes = {
    obs: found.tables.get("obs")?.rows,
    var: found.tables.get("var")?.rows,
    "raw/var": found.tables.get("raw/var")?.rows,
  };
  const tables: TablePlan[] = [];
  for (const [name, element] of found.tables) {
    try {
      checkAxes(name, element, axes);
      tables.push(tablePlan(name, element, found.tables, cx));
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      found.failures.set(name, error);
    }
  }
  for (const [name, nodes] of derived) tables.push(derivedPlan(name, nodes, cx));
  return { version: versionOf(root, frames.obs), shape: shapeOf(axes, found.tables), tables, failures: found.failures };
}

/** Before 0.7 the graphs of `uns/neighbors` had no other place; anndata moves them when it reads. */
async function moveNeighbors(uns: Group, found: Found, skip: Set<string>, cx: Context): Promise<void> {
  const neighbors = await orNull(uns.open("neighbors", cx.options));
  if (neighbors?.kind !== "group") return;
  const keys = (await orNull(neighbors.keys(cx.options))) ?? [];
  for (const key of ["distances", "connectivities"]) {
    if (!keys.includes(key)) continue;
    const name = `obsp/${key}`;
    const element = await found.element(name, async () => openElement(await neighbors.open(key, cx.options), cx));
    if (element?.kind === "mapping" || (element?.kind === "table" && element.shape.length !== 2)) continue;
    skip.add(`uns/neighbors/${key}`);
    if (element?.kind === "table") found.tables.set(name, element);
  }
}

/** Before 0.7 obsm and varm were one compound array with a field per key. */
function compoundFields(array: StoredArray, name: string, found: Found): void {
  if (array.type.kind !== "record" || array.shape?.length !== 1) {
    throw new InvalidDataError("neither a mapping nor a compound array of one dimension");
  }
  const [rows] = array.shape;
  for (const [i, field] of array.type.fields.entries()) {
    const plan = { kind: "field", array, field: i } as const;
    const shape = [rows, ...field.shape];
    found.tables.set(`${name}/${field.name}`, {
      kind: "table",
      fields: [{ name: "value", type: columnType(plan), nullable: false }],
      metadata: { kind: field.type.kind === "text" ? "string-array" : "array", shape },
      rows,
      plan: { kind: "columns", columns: [plan] },
      shape,
    });
  }
}

function tablePlan(
  name: string,
  element: TableElement,
  tables: ReadonlyMap<string, TableElement>,
  cx: Context,
): TablePlan {
  const [rowAxis, colAxis] = axesOf(name);
  const names = colAxis === null ? undefined : tables.get(colAxis);
  return {
    name,
    fields: element.fields,
    metadata: element.metadata,
    schemaMetadata: element.schemaMetadata ?? new Map(),
    rows: element.rows,
    derived: false,
    axis: rowAxis === null ? null : rowAxis === "obs" ? "row" : "col",
    plan: element.plan,
    text: cx.text,
    columnNames: names === undefined ? null : () => indexTexts(names, cx),
  };
}

/** The index of a frame as texts, for the names of columns. */
async function indexTexts(frame: TableElement, cx: Context): Promise<readonly string[]> {
  if (frame.plan.kind !== "columns") return [];
  const [index] = frame.plan.columns;
  const column: Column = await readColumn(index, 0, columnRows(index), new ScanState(cx.text, cx.options));
  if (column.layout === "variable" && column.type.id === "Utf8") return textValues(column).map((text) => text ?? "");
  return Array.from({ length: column.length }, (_, i) => {
    const json = jsonOf(column, i);
    return json.startsWith('"') ? String(JSON.parse(json)) : json;
  });
}

function derivedPlan(name: string, nodes: readonly MappingNode[], cx: Context): TablePlan {
  return {
    name,
    fields: NODE_FIELDS,
    metadata: { kind: "dict", shape: [nodes.length] },
    schemaMetadata: new Map(),
    rows: nodes.length,
    derived: true,
    axis: null,
    plan: { kind: "nodes", nodes },
    text: cx.text,
    columnNames: null,
  };
}

/** The version that the file states, or the releases that wrote its layout. */
function versionOf(root: Group, obs: Node | null): string {
  const { type, version } = encodingOf(root);
  if (type !== "") return version;
  if (obs?.kind === "array") return "<0.7";
  return obs !== null && encodingOf(obs).version === "0.1.0" ? "0.7" : "";
}

function shapeOf(axes: Axes, tables: ReadonlyMap<string, TableElement>): readonly [number, number] | null {
  const [height, width] = tables.get("X")?.shape ?? [];
  const rows = axes.obs ?? height;
  const columns = axes.var ?? width;
  return rows === undefined || columns === undefined ? null : [rows, columns];
}
