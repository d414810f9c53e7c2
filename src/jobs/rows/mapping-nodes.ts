/** The derived table of a mapping: one row per node, small values as JSON. */

import type { Column } from "../../arrow/column.js";
import { encodeJsonList, encodeJsonValue } from "../../arrow/json.js";
import { createTextColumn } from "../../arrow/text.js";
import { type ArrowField, createField, INT64, UTF8 } from "../../arrow/type.js";
import { computeValidity } from "../../kernels/values/bitmap.js";
import type { ContentNode, MappingNode } from "../plan/plan.js";
import { getColumnRowCount, readColumn, type Scan, type ScanState } from "./columns.js";
import type { Batch } from "./task.js";

/** Maximum number of values in an element that is listed with its values. Larger elements are listed without values. */
export const MAX_VALUES = 64;

/** The schema of the derived table of a mapping. */
export const NODE_FIELDS: readonly ArrowField[] = [
  createField("path", UTF8, false),
  createField("kind", UTF8, false),
  createField("type", UTF8),
  createField("shape", { id: "List", item: createField("item", INT64, false) }),
  createField("value", UTF8),
];

/** The schema of the derived table of a whole file, which also lists attributes. */
export const CONTENT_FIELDS: readonly ArrowField[] = [...NODE_FIELDS, createField("attributes", UTF8)];

export async function* scanMappingNodes(nodes: readonly ContentNode[], run: Scan): AsyncGenerator<Batch> {
  const some = nodes.slice(run.start, run.end);
  const columns: Column[] = [];
  for (const i of run.fields) columns.push(await nodeColumn(CONTENT_FIELDS[i].name, some, run.state));
  yield { length: some.length, columns };
}

async function nodeColumn(name: string, nodes: readonly ContentNode[], state: ScanState): Promise<Column> {
  switch (name) {
    case "path":
      return createTextColumn(nodes.map((node) => node.path));
    case "kind":
      return createTextColumn(nodes.map((node) => node.kind));
    case "type":
      return createTextColumn(nodes.map((node) => node.type));
    case "shape":
      return shapes(nodes);
    case "attributes":
      return createTextColumn(nodes.map(({ attributes = null }) => attributes));
    default: {
      const values: (string | null)[] = [];
      for (const node of nodes) values.push(await jsonValue(node, state));
      return createTextColumn(values);
    }
  }
}

async function jsonValue(node: MappingNode, state: ScanState): Promise<string | null> {
  if (node.value === null) return null;
  const column = await readColumn(node.value, { start: 0, end: getColumnRowCount(node.value) }, state);
  return node.shape?.length === 0 ? encodeJsonValue(column, 0) : encodeJsonList(column);
}

function shapes(nodes: readonly MappingNode[]): Column {
  const flat = nodes.flatMap((node) => node.shape ?? []);
  const offsets = new Int32Array(nodes.length + 1);
  for (const [i, node] of nodes.entries()) offsets[i + 1] = offsets[i] + (node.shape?.length ?? 0);
  const values = BigInt64Array.from(flat, (size) => BigInt(size));
  return {
    layout: "list",
    type: { id: "List", item: createField("item", INT64, false) },
    length: nodes.length,
    validity: computeValidity(nodes.length, (i) => nodes[i].shape !== null),
    offsets,
    child: { layout: "primitive", type: INT64, length: values.length, validity: null, values },
  };
}
