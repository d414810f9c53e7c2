/** The derived table of a mapping: one row per node, small values as JSON. */

import type { Column } from "../../arrow/column.js";
import { jsonList, jsonOf } from "../../arrow/json.js";
import { textColumnOf } from "../../arrow/text.js";
import { type ArrowField, field, INT64, UTF8 } from "../../arrow/type.js";
import { validityWhere } from "../../kernels/values/bitmap.js";
import type { ContentNode, MappingNode } from "../plan/plan.js";
import { columnRows, readColumn, type Scan, type ScanState } from "./columns.js";
import type { Batch } from "./task.js";

/** Maximum number of values of an element that are listed. Larger elements are listed without values. */
export const MAX_VALUES = 64;

/** The schema of the derived table of a mapping. */
export const NODE_FIELDS: readonly ArrowField[] = [
  field("path", UTF8, false),
  field("kind", UTF8, false),
  field("type", UTF8),
  field("shape", { id: "List", item: field("item", INT64, false) }),
  field("value", UTF8),
];

/** The schema of the derived table of a whole file, which also lists attributes. */
export const CONTENT_FIELDS: readonly ArrowField[] = [...NODE_FIELDS, field("attributes", UTF8)];

export async function* scanMappingNodes(nodes: readonly ContentNode[], run: Scan): AsyncGenerator<Batch> {
  const some = nodes.slice(run.start, run.end);
  const columns: Column[] = [];
  for (const i of run.fields) columns.push(await nodeColumn(CONTENT_FIELDS[i].name, some, run.state));
  yield { length: some.length, columns };
}

async function nodeColumn(name: string, nodes: readonly ContentNode[], state: ScanState): Promise<Column> {
  switch (name) {
    case "path":
      return textColumnOf(nodes.map((node) => node.path));
    case "kind":
      return textColumnOf(nodes.map((node) => node.kind));
    case "type":
      return textColumnOf(nodes.map((node) => node.type));
    case "shape":
      return shapes(nodes);
    case "attributes":
      return textColumnOf(nodes.map(({ attributes = null }) => attributes));
    default: {
      const values: (string | null)[] = [];
      for (const node of nodes) values.push(await jsonValue(node, state));
      return textColumnOf(values);
    }
  }
}

async function jsonValue(node: MappingNode, state: ScanState): Promise<string | null> {
  if (node.value === null) return null;
  const column = await readColumn(node.value, { start: 0, end: columnRows(node.value) }, state);
  return node.shape?.length === 0 ? jsonOf(column, 0) : jsonList(column);
}

function shapes(nodes: readonly MappingNode[]): Column {
  const flat = nodes.flatMap((node) => node.shape ?? []);
  const offsets = new Int32Array(nodes.length + 1);
  for (const [i, node] of nodes.entries()) offsets[i + 1] = offsets[i] + (node.shape?.length ?? 0);
  const values = BigInt64Array.from(flat, (size) => BigInt(size));
  return {
    layout: "list",
    type: { id: "List", item: field("item", INT64, false) },
    length: nodes.length,
    validity: validityWhere(nodes.length, (i) => nodes[i].shape !== null),
    offsets,
    child: { layout: "primitive", type: INT64, length: values.length, validity: null, values },
  };
}
