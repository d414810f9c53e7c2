/** `/row_attrs` and `/col_attrs`: one column per attribute, no index. */

import type { ArrowField } from "../../arrow/type.js";
import { storageMetadata } from "../../arrow/written-type.js";
import type { Group, StoredArray } from "../../containers/tree/container.js";
import type { MappingNode } from "../../jobs/plan/plan.js";
import { columnType } from "../../jobs/rows/columns.js";
import { InvalidDataError } from "../../model/errors.js";
import { childNames, openChild } from "../context.js";
import type { TableElement } from "../element.js";
import { inOrder } from "../in-order.js";
import { FoundElements, noting, walk } from "../tree.js";
import { arrayField } from "./array.js";
import { type LoomContext, lastModified } from "./context.js";
import { referenceMetadata } from "./escaped-text.js";
import { openGlobal } from "./globals.js";
import { subGroupArray } from "./sub-group.js";

/** A column with the array that it is read from. */
type Column = readonly [ArrowField, StoredArray];

/** Groups whose arrays are no columns: each array is a table, and a further one lists them. */
export type Listed = readonly (readonly [name: string, nodes: readonly MappingNode[]])[];

/** The axis of the matrix that the attributes are along, and its length. */
export interface AttributeAxis {
  readonly axis: "rows" | "columns";
  readonly size: number;
}

/**
 * @param name of the table.
 * @param found takes the attributes that cannot be columns.
 */
export async function attributeTable(
  name: string,
  group: Group,
  along: AttributeAxis,
  found: FoundElements,
  cx: LoomContext,
): Promise<{ readonly element: TableElement; readonly listed: Listed }> {
  const names = await childNames(group, cx);
  const parts = await inOrder(names, (child) => attribute(`${name}/${child}`, group, child, along, cx));
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
    metadata: { kind: "dataframe", ...lastModified(group) },
    rows: along.size,
    plan: { kind: "columns", columns: columns.map(([, array]) => ({ kind: "array", array })) },
    shape: [along.size],
  };
  return { element, listed };
}

interface Attribute {
  readonly part: FoundElements;
  readonly column: Column | null;
  readonly nodes: readonly [string, readonly MappingNode[]] | null;
}

async function attribute(
  path: string,
  group: Group,
  name: string,
  { axis, size }: AttributeAxis,
  cx: LoomContext,
): Promise<Attribute> {
  const part = new FoundElements();
  const opened = await part.element<Column | Group>(path, async () => {
    const node = await openChild(group, name, cx);
    if (node.kind === "array") {
      checkLength(node, { axis, size });
      return arrayField(name, node, cx);
    }
    const array = await subGroupArray(node, size, cx);
    return array === null ? node : [subGroupField(name, array, node, cx), array];
  });
  if (opened === null || !("kind" in opened)) return { part, column: opened, nodes: null };
  const own = noting(part, cx);
  own.warn(`${path}: a group that is no column of ${size} ${axis}; its arrays are tables of their own`);
  const nodes = await walk(path, opened, part, own, (node) => openGlobal(node, cx));
  return { part, column: null, nodes: [path, nodes] };
}

/** @throws {InvalidDataError} where the first dimension is not that of the axis. */
function checkLength({ shape }: StoredArray, { axis, size }: AttributeAxis): void {
  if (shape?.[0] === size) return;
  const found = shape === null ? "no value" : shape.length === 0 ? "a scalar" : `${shape[0]} values`;
  throw new InvalidDataError(`${found}, the matrix has ${size} ${axis}`);
}

function subGroupField(name: string, array: StoredArray, group: Group, cx: LoomContext): ArrowField {
  const { type } = array;
  const metadata = { kind: "dict", ...storageMetadata(type), ...referenceMetadata(type, cx), ...lastModified(group) };
  return { name, type: columnType({ kind: "array", array }), nullable: false, metadata };
}
