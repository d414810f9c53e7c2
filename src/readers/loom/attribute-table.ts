/**
 * `/row_attrs` and `/col_attrs`: one column per attribute, without an index. Old releases of LoomExperiment wrote
 * groups among the attributes (`row_attrs/GRanges/…`, `col_attrs/reducedDims/…`). These become columns of records.
 */

import { toStorageMetadata } from "../../arrow/storage-metadata.js";
import type { ArrowField } from "../../arrow/type.js";
import type { Group, Node, StoredArray } from "../../containers/tree/container.js";
import type { MappingNode } from "../../jobs/plan/plan.js";
import { getColumnType } from "../../jobs/rows/columns.js";
import { InvalidDataError, isAnnarrowError } from "../../model/errors.js";
import type { StoredField } from "../../model/stored.js";
import { mapConcurrently } from "../concurrency.js";
import type { TableElement } from "../element.js";
import { listChildNames, openChild } from "../reader.js";
import { FoundElements, walkMapping, withWarningsTo } from "../tree.js";
import {
  createDecodedTextArray,
  createLoomColumn,
  getEntityMetadata,
  getLastModified,
  type LoomContext,
} from "./array.js";
import { openGlobal } from "./globals.js";

type Column = readonly [ArrowField, StoredArray];

/** Groups whose arrays are tables: the name of each group, and the nodes in its derived table. */
export type DerivedTables = readonly (readonly [name: string, nodes: readonly MappingNode[]])[];

/** The group that contains the attributes, the name of their table, and the axis with its length. */
interface AxisAttributes {
  readonly name: "row_attrs" | "col_attrs";
  readonly group: Group;
  readonly axis: "rows" | "columns";
  readonly size: number;
}

/**
 * Opens the attributes of an axis.
 * @param found receives the attributes that cannot become columns.
 */
export async function openAttributeTable(
  attributes: AxisAttributes,
  found: FoundElements,
  cx: LoomContext,
): Promise<{ readonly element: TableElement; readonly listed: DerivedTables }> {
  const { group, size } = attributes;
  const names = await listChildNames(group, cx);
  const parts = await mapConcurrently(names, (name) => attribute(attributes, name, cx));
  const columns: Column[] = [];
  const listed: (readonly [string, readonly MappingNode[]])[] = [];
  for (const { part, column, nodes } of parts) {
    found.add(part);
    if (column !== null) columns.push(column);
    if (nodes !== null) listed.push(nodes);
  }
  const element: TableElement = {
    kind: "table",
    fields: columns.map(([field]) => field),
    metadata: { kind: "dataframe", ...getLastModified(group) },
    rows: size,
    plan: { kind: "columns", columns: columns.map(([, array]) => ({ kind: "array", array })) },
    shape: [size],
  };
  return { element, listed };
}

interface Attribute {
  readonly part: FoundElements;
  readonly column: Column | null;
  readonly nodes: readonly [string, readonly MappingNode[]] | null;
}

async function attribute(attributes: AxisAttributes, name: string, cx: LoomContext): Promise<Attribute> {
  const { group, axis, size } = attributes;
  const path = `${attributes.name}/${name}`;
  const part = new FoundElements();
  const opened = await part.element<Column | Group>(path, async () => {
    const node = await openChild(group, name, cx);
    if (node.kind === "array") {
      checkLength(node, attributes);
      return createLoomColumn(name, node, cx);
    }
    const array = await subGroupArray(node, size, cx);
    return array === null ? node : [subGroupField(name, array, node, cx), array];
  });
  if (opened === null || !("kind" in opened)) return { part, column: opened, nodes: null };
  const own = withWarningsTo(part, cx);
  own.warn(`${path}: a group that is no column of ${size} ${axis}; its arrays are tables of their own`);
  const nodes = await walkMapping(path, opened, part, own, (node) => openGlobal(node, cx));
  return { part, column: null, nodes: [path, nodes] };
}

/** @throws {InvalidDataError} if the first dimension does not equal the length of the axis. */
function checkLength({ shape }: StoredArray, { axis, size }: AxisAttributes): void {
  if (shape?.[0] === size) return;
  const found = shape === null ? "no value" : shape.length === 0 ? "a scalar" : `${shape[0]} values`;
  throw new InvalidDataError(`${found}, the matrix has ${size} ${axis}`);
}

function subGroupField(name: string, array: StoredArray, group: Group, cx: LoomContext): ArrowField {
  const { type } = array;
  const metadata = {
    kind: "dict",
    ...toStorageMetadata(type),
    ...getEntityMetadata(type, cx),
    ...getLastModified(group),
  };
  return { name, type: getColumnType({ kind: "array", array }), nullable: false, metadata };
}

/**
 * Maximum nesting depth of attribute groups, and maximum number of arrays in them. Real files stay below these limits.
 */
const MAX_DEPTH = 8;
const MAX_FIELDS = 10_000;

/** Makes an array of `rows` records from a group; null if an array in the group does not have a value for each row. */
async function subGroupArray(group: Group, rows: number, cx: LoomContext): Promise<StoredArray | null> {
  let fields = 0;
  return await ofGroup(group, 1);

  async function ofGroup(parent: Group, depth: number): Promise<StoredArray | null> {
    const names = await orNothing(() => listChildNames(parent, cx));
    fields += names?.length ?? 0;
    if (names === null || names.length === 0 || depth > MAX_DEPTH || fields > MAX_FIELDS) return null;
    const arrays: StoredArray[] = [];
    for (const array of await mapConcurrently(names, (name) => orNothing(() => ofChild(parent, name, depth)))) {
      if (array === null) return null;
      arrays.push(array);
    }
    return recordArray(parent, names, arrays, rows);
  }

  async function ofChild(parent: Group, name: string, depth: number): Promise<StoredArray | null> {
    const node: Node = await openChild(parent, name, cx);
    if (node.kind === "group") return ofGroup(node, depth + 1);
    if (node.shape?.[0] !== rows) return null;
    // This throws for a field without an Arrow type, so that such a field does not make the other fields unreadable.
    getColumnType({ kind: "array", array: node });
    return createDecodedTextArray(node, cx);
  }
}

async function orNothing<T>(action: () => Promise<T>): Promise<T | null> {
  try {
    return await action();
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}

function recordArray(
  { path, id, attributes }: Group,
  names: readonly string[],
  arrays: readonly StoredArray[],
  rows: number,
): StoredArray {
  const fields = arrays.map(
    ({ type, shape }, i): StoredField => ({ name: names[i], type, shape: shape?.slice(1) ?? [] }),
  );
  const chunkRows = arrays.reduce((most, { chunks }) => Math.max(most, chunks?.[0] ?? 1), 1);
  return {
    ...{ kind: "array", path, id, attributes },
    type: { kind: "record", fields },
    shape: [rows],
    chunks: chunkRows > 1 ? [chunkRows] : null,
    read: async (start, end, options) => ({
      kind: "record",
      length: end - start,
      fields: await mapConcurrently(arrays, (array) => array.read(start, end, options)),
    }),
  };
}
