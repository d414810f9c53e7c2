/** Makes tables of values, named by their paths, and lists the values in structs and cells. */

import type { ArrowField } from "../../arrow/type.js";
import type { Node } from "../../containers/tree/container.js";
import { createSparseRows } from "../../jobs/plan/matrix-plan.js";
import type { MappingNode } from "../../jobs/plan/plan.js";
import { isAnnarrowError, UnsupportedError } from "../../model/errors.js";
import { countElements } from "../../model/stored.js";
import type { TableElement } from "../element.js";
import { createMappingNode, type FoundElements } from "../tree.js";
import { createGenericElement } from "./generic.js";
import { createValueColumn, getValueColumnType } from "./values/column.js";
import { type MatlabContext, TOP_SCOPE } from "./values/context.js";
import { createElementColumn, createFieldColumn } from "./values/elements.js";
import { OPAQUE } from "./values/read-value.js";
import { type FrameColumn, readEntries, readFrame } from "./values/table-objects.js";
import type { CellValue, ObjectValue, RawValue, StructValue, Value, ValueColumn } from "./values/value.js";

export interface Listing {
  readonly nodes: MappingNode[];
  /**
   * Metadata of the structs and cells themselves, by path. The tables for their leaves cannot contain these metadata.
   */
  readonly mappings: Record<string, unknown>;
}

/** Maximum number of tables in a file. Real files have fewer. */
const MAX_TABLES = 1_000_000;

export class TableCollector {
  readonly #found: FoundElements;
  readonly #cx: MatlabContext;
  readonly #objects = new Map<string, Node>();

  constructor(found: FoundElements, cx: MatlabContext) {
    this.#found = found;
    this.#cx = cx;
  }

  /** The stored nodes of objects, keyed by the path of their table or of an ancestor. */
  get objects(): ReadonlyMap<string, Node> {
    return this.#objects;
  }

  /**
   * Adds the table of `value`, or the tables of its parts.
   * @param listing the list to which the parts are also added; null for a variable, which is not listed.
   * @param inObject whether the value is a part of an object.
   * @returns the listing of the parts; null if the value is a table.
   */
  async add(path: string, value: Value, listing: Listing | null, inObject = false): Promise<Listing | null> {
    let inner: Listing | null = null;
    await this.#found.element(path, async () => {
      if (this.#found.tables.size >= MAX_TABLES) throw new UnsupportedError(`more than ${MAX_TABLES} tables`);
      const element = await this.#tableOf(path, value);
      const isKept = isObject(value) || (element !== null && holdsObjects(value));
      if (isKept && !inObject && value.node !== undefined) this.#objects.set(path, value.node);
      if (element === null) {
        inner = await this.#tree(path, value, listing, inObject || isKept);
        return;
      }
      this.#found.tables.set(path, element);
      listing?.nodes.push(createMappingNode(path, element));
    });
    return inner;
  }

  /** Makes the table for a value; null if the value is a tree of tables. */
  async #tableOf(path: string, value: Value): Promise<TableElement | null> {
    switch (value.kind) {
      case "failed":
        throw value.error;
      case "sparse":
        return sparseElement(value);
      case "plain":
        return await createGenericElement(value, this.#cx);
      case "raw":
        return await this.#raw(value);
      case "cell":
        return await cellElement(path, value);
      case "struct":
        return isSingle(value) ? await this.#described(path, value) : await structElement(path, value);
      case "object":
        return await this.#object(path, value);
      case "numeric":
      case "char":
      case "enumeration": {
        const column = await createValueColumn(value, false);
        return column === null ? null : columnElement(value, column);
      }
      default:
        return value satisfies never;
    }
  }

  /** Makes the table for a struct in which annarrow stored a table; null for other structs. */
  async #described(path: string, value: StructValue): Promise<TableElement | null> {
    const { annarrow } = value.metadata;
    if (typeof annarrow !== "string") return null;
    try {
      const { readAnnarrowTable } = await import("./annarrow-table.js");
      return await readAnnarrowTable(path, value, annarrow);
    } catch (error) {
      if (!isAnnarrowError(error, "InvalidDataError", "UnsupportedError")) throw error;
      this.#cx.warn(`${path}: a table that is read as a struct: ${error.problem}`);
      return null;
    }
  }

  async #raw(value: RawValue): Promise<TableElement> {
    const { array, reason } = value;
    if (array === null) throw new UnsupportedError(reason);
    this.#cx.warn(`${array.path}: ${value.class} as it is stored: ${reason}`);
    const { metadata, ...element } = await createGenericElement({ ...value, kind: "plain", array }, this.#cx);
    return { ...element, metadata: { ...metadata, opaque: true, reason } };
  }

  async #object(path: string, value: ObjectValue): Promise<TableElement | null> {
    try {
      if (value.class === "table" || value.class === "timetable") return await this.#frame(path, value);
      if (value.class === "containers.Map" || value.class === "dictionary") return await mapElement(value);
      const column = await createValueColumn(value, false);
      return column === null ? null : columnElement(value, column);
    } catch (error) {
      if (!isAnnarrowError(error, "InvalidDataError", "UnsupportedError")) throw error;
      // The properties of the object can still be read.
      this.#cx.warn(`${path}: ${value.class} object that is read as its properties: ${error.problem}`);
      return null;
    }
  }

  async #frame(path: string, value: ObjectValue): Promise<TableElement> {
    const { rows, index, columns, metadata } = await readFrame(value, this.#cx);
    for (const { name, column } of columns) {
      if (column === null)
        this.#cx.warn(`${path}: variable ${name} is no column of one type; it is read as text of JSON`);
    }
    const all = await Promise.all(columns.map(async (one) => frameField(path, one, rows)));
    const size = [rows, columns.length - (index === null ? 0 : 1)];
    const more = index === null ? {} : { index };
    return {
      kind: "table",
      fields: all.map(([field]) => field),
      metadata: { kind: "dataframe", class: value.class, size, ...metadata, ...more },
      rows,
      plan: { kind: "columns", columns: all.map(([, plan]) => plan) },
      shape: [rows],
    };
  }

  /** Adds a struct, cell or object whose parts are tables or trees. */
  async #tree(path: string, value: Value, above: Listing | null, inObject: boolean): Promise<Listing> {
    // Properties are cached by object, and two properties can refer to the same object. Repeated visits are therefore
    // counted here.
    for (const id of objectIds(value)) this.#cx.limits.enter(`tables of object ${id}`, TOP_SCOPE);
    const listing: Listing = above ?? { nodes: [], mappings: {} };
    const { mapping } = value.metadata;
    const kind = typeof mapping === "string" ? mapping : value.kind;
    if (above !== null) listing.nodes.push({ path, kind, type: null, shape: null, value: null });
    const { class: name, size, metadata } = value;
    listing.mappings[path] = {
      class: name,
      size,
      ...metadata,
      ...(value.kind === "struct" ? { fields: value.fields } : {}),
    };
    const parts = partsOf(value);
    for (const [key, part] of parts) await this.add(`${path}/${key}`, part, listing, inObject);
    // An empty variable lists itself.
    if (above === null && parts.length === 0) listing.nodes.push({ path, kind, type: null, shape: null, value: null });
    return listing;
  }
}

/** Whether a value belongs to the object store, even if it cannot be read. */
function isObject({ kind, metadata }: Value): boolean {
  return kind === "object" || kind === "enumeration" || (kind === "raw" && metadata.object_decode === OPAQUE);
}

function objectIds({ kind, metadata }: Value): readonly unknown[] {
  return kind === "object" && Array.isArray(metadata.objects) ? metadata.objects : [];
}

function holdsObjects(value: Value): boolean {
  if (value.kind === "cell") return value.items.some(isObject);
  return value.kind === "struct" && value.columns.some((column) => column.some(isObject));
}

function partsOf(value: Value): readonly (readonly [string, Value])[] {
  switch (value.kind) {
    case "cell":
      return value.items.map((item, i) => [position(i, value.size), item] as const);
    case "struct": {
      if (isSingle(value)) return value.fields.map((field, k) => [field, value.columns[k][0]] as const);
      const count = value.columns[0]?.length ?? 0;
      return Array.from({ length: count }, (_, i) => {
        const columns = value.columns.map((column) => [column[i]]);
        return [position(i, value.size), { ...value, size: [1, 1], columns, metadata: {} }] as const;
      });
    }
    case "object": {
      if (value.objects.length === 1) return [...value.objects[0]];
      return value.objects.map((object, i) => {
        const one: ObjectValue = { ...value, size: [1, 1], objects: [object], metadata: {} };
        return [position(i, value.size), one] as const;
      });
    }
    case "enumeration":
      return [...value.parts];
    case "numeric":
    case "char":
    case "sparse":
    case "plain":
    case "raw":
    case "failed":
      return [];
    default:
      return value satisfies never;
  }
}

/** Formats the index of an element: `{3}` in a vector, `{2,1}` in a matrix. Like MATLAB's indices, it is 1-based. */
function position(index: number, size: readonly number[]): string {
  if (size.length < 2 || (size.length === 2 && size.includes(1))) return `{${index + 1}}`;
  const indices: number[] = [];
  let rest = index;
  for (const length of size) {
    indices.push((rest % length) + 1);
    rest = Math.floor(rest / length);
  }
  return `{${indices.join(",")}}`;
}

function isSingle({ size }: StructValue): boolean {
  return size.length === 2 && size[0] === 1 && size[1] === 1;
}

function columnElement(value: Value, column: ValueColumn): TableElement {
  const { plan, nullable, rows, size, kind, metadata } = column;
  const of = value.kind === "cell" ? value.size : size;
  return {
    kind: "table",
    fields: [{ name: "value", type: getValueColumnType(column), nullable }],
    metadata: { kind, shape: of, class: value.class, size: of, ...metadata },
    rows,
    plan: { kind: "columns", columns: [plan] },
    shape: of,
  };
}

function sparseElement({ matrix, class: name, size, metadata }: Extract<Value, { kind: "sparse" }>): TableElement {
  const { fields, rows, plan } = createSparseRows(matrix, "coordinate");
  return {
    kind: "table",
    fields,
    metadata: { kind: "csc_matrix", shape: size, order: "column", class: name, size, ...metadata },
    rows: rows ?? matrix.nnz,
    plan,
    shape: size,
  };
}

/**
 * Makes the table for a cell whose elements form one column; null for other cells. The table of an empty cell has no
 * rows.
 */
async function cellElement(path: string, value: CellValue): Promise<TableElement | null> {
  const { size, metadata, class: name, items } = value;
  if (items.length === 0) return noRows(["value"], { kind: "cell", shape: size, class: name, size, ...metadata });
  const column = await createElementColumn(path, items);
  if (column === null) return null;
  const { class: elementClass, ...own } = column.metadata;
  return columnElement(value, { ...column, metadata: { ...metadata, elementClass, ...own } });
}

/**
 * Makes the table for a struct array, with a row per element; null if the values of any field do not form one column.
 */
async function structElement(path: string, value: StructValue): Promise<TableElement | null> {
  const { size, metadata, class: name, fields, columns } = value;
  const rows = countElements(size);
  const common = { kind: "rec-array", shape: size, class: name, size, ...metadata };
  if (rows === 0 || fields.length === 0) return { ...noRows(fields, { ...common, fields }), rows };
  const all: [ArrowField, ValueColumn["plan"]][] = [];
  for (const [k, field] of fields.entries()) {
    const column = await createFieldColumn(`${path}/${field}`, columns[k]);
    if (column === null) return null;
    const { plan, nullable, kind } = column;
    all.push([
      { name: field, type: getValueColumnType(column), nullable, metadata: { kind, ...column.metadata } },
      plan,
    ]);
  }
  return {
    kind: "table",
    fields: all.map(([field]) => field),
    metadata: common,
    rows,
    plan: { kind: "columns", columns: all.map(([, plan]) => plan) },
    shape: size,
  };
}

/** Makes a table without rows. Its columns have type Null, because their types are unknown. */
function noRows(names: readonly string[], metadata: TableElement["metadata"]): TableElement {
  return {
    kind: "table",
    fields: names.map((name) => ({ name, type: { id: "Null" }, nullable: true })),
    metadata,
    rows: 0,
    plan: { kind: "columns", columns: names.map(() => ({ kind: "null" })) },
    shape: metadata.shape ?? [0],
  };
}

async function mapElement(value: ObjectValue): Promise<TableElement | null> {
  const entries = await readEntries(value);
  if (entries === null) return null;
  const { key, values } = entries;
  const { rows } = key;
  const all = [key, entries.value ?? (await jsonValues("value", values, rows))];
  return {
    kind: "table",
    fields: all.map((column, i) => ({
      name: ["key", "value"][i],
      type: getValueColumnType(column),
      nullable: column.nullable,
      metadata: { kind: column.kind, ...column.metadata },
    })),
    metadata: { kind: "map", shape: [rows], class: value.class, size: [rows, 1], ...entries.metadata },
    rows,
    plan: { kind: "columns", columns: all.map(({ plan }) => plan) },
    shape: [rows],
  };
}

async function jsonValues(path: string, value: Value, rows: number): Promise<ValueColumn> {
  const { createJsonColumn } = await import("./values/json-column.js");
  const plan = await createJsonColumn(path, value, rows);
  const { class: name, size } = value;
  return { plan, nullable: false, rows, size, kind: "json", metadata: { class: name, size } };
}

async function frameField(
  path: string,
  { name, column, value }: FrameColumn,
  rows: number,
): Promise<readonly [ArrowField, ValueColumn["plan"]]> {
  const own = column ?? (await jsonValues(`${path}/${name}`, value, rows));
  const metadata = { kind: own.kind, class: value.class, size: own.size, ...own.metadata };
  return [{ name, type: getValueColumnType(own), nullable: own.nullable, metadata }, own.plan];
}
