/** A JSON value as rows of a derived table: objects and lists level by level, down to lists of plain values. */

import { typeText } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { MappingNode, SinglePlan } from "../../jobs/plan/plan.js";
import { columnType } from "../../jobs/rows/columns.js";
import { MAX_VALUES } from "../../jobs/rows/nodes.js";
import { UnsupportedError } from "../../model/errors.js";
import type { StoredType, StoredValues } from "../../model/stored.js";

/** Far beyond real ones. */
const MAX_DEPTH = 64;
const MAX_NODES = 100_000;

/**
 * The nodes below `path`, which is that of the value itself.
 * @throws {UnsupportedError} where there are too many.
 */
export function jsonNodes(path: string, value: unknown): readonly MappingNode[] {
  const nodes: MappingNode[] = [];
  below(path, value, 1);
  return nodes;

  function below(parent: string, item: unknown, depth: number): void {
    if (typeof item !== "object" || item === null) return;
    if (depth > MAX_DEPTH) throw new UnsupportedError(`JSON nested more than ${MAX_DEPTH} deep`);
    for (const [key, child] of Object.entries(item)) {
      if (nodes.length >= MAX_NODES) throw new UnsupportedError(`JSON of more than ${MAX_NODES} values`);
      const name = `${parent}/${key}`;
      const node = nodeOf(name, child);
      nodes.push(node);
      if (node.type === null) below(name, child, depth + 1);
    }
  }
}

function nodeOf(path: string, value: unknown): MappingNode {
  const list = Array.isArray(value);
  const values: readonly unknown[] = list ? value : [value];
  const shape = list ? [values.length] : [];
  if (value === null) return { path, kind: "json", type: "Null", shape, value: { kind: "null" } };
  const column = columnOf(path, values, list ? shape : []);
  if (column === null) return { path, kind: "json", type: null, shape: list ? shape : null, value: null };
  const type = typeText(columnType(column));
  return { path, kind: "json", type, shape, value: values.length > MAX_VALUES ? null : column };
}

/** Plain values of one type as a column; null for others. */
function columnOf(path: string, values: readonly unknown[], shape: readonly number[]): SinglePlan | null {
  if (values.length === 0) return null;
  if (values.every((value) => typeof value === "string")) return plan(path, TEXT, shape, textsOf(values));
  if (values.every((value) => typeof value === "boolean")) {
    return plan(path, { kind: "bool" }, shape, { kind: "fixed", values: Uint8Array.from(values, Number) });
  }
  if (values.every((value) => typeof value === "number")) {
    return plan(path, { kind: "float", bits: 64 }, shape, { kind: "fixed", values: Float64Array.from(values) });
  }
  return null;
}

const TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

function textsOf(texts: readonly string[]): StoredValues {
  const encoder = new TextEncoder();
  const parts = texts.map((text) => encoder.encode(text));
  const offsets = new Int32Array(parts.length + 1);
  for (const [i, part] of parts.entries()) offsets[i + 1] = offsets[i] + part.length;
  const bytes = new Uint8Array(offsets[parts.length]);
  for (const [i, part] of parts.entries()) bytes.set(part, offsets[i]);
  return { kind: "variable", offsets, bytes };
}

/** An array that no container holds; it is read whole. */
function plan(path: string, type: StoredType, shape: readonly number[], values: StoredValues): SinglePlan {
  const array: StoredArray = {
    ...{ kind: "array", path, id: path, attributes: new Map(), type, shape, chunks: null },
    read: async () => values,
  };
  return { kind: "array", array };
}
