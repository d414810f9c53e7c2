/**
 * `MetaData` as written by SCope and SCENIC: JSON text, either uncompressed or as the base64 of its zlib stream. The
 * table contains the stored text. The derived table of the globals lists the values in it.
 */

import { decodeTextValues } from "../../arrow/text.js";
import { describeArrowType } from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { MappingNode, SinglePlan } from "../../jobs/plan/plan.js";
import { getColumnRowCount, getColumnType, readColumn, ScanState } from "../../jobs/rows/columns.js";
import { MAX_VALUES } from "../../jobs/rows/mapping-nodes.js";
import { inflate } from "../../kernels/codecs/deflate/inflate.js";
import { InvalidDataError, isAnnarrowError, UnsupportedError } from "../../model/errors.js";
import type { StoredType, StoredValues } from "../../model/stored.js";
import type { TableElement } from "../element.js";
import type { ReaderContext } from "../reader.js";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/;

/** Maximum size of a text in bytes. Real texts have a few hundred kilobytes. */
const MAX_BYTES = 2 ** 26;

/**
 * Makes the nodes below `path` for the JSON of `element`. If the JSON cannot be read, it warns and returns no nodes.
 */
export async function createMetaDataNodes(
  path: string,
  element: TableElement | undefined,
  cx: ReaderContext,
): Promise<readonly MappingNode[]> {
  if (element?.plan.kind !== "columns" || element.rows !== 1) return [];
  const [column] = element.plan.columns;
  try {
    if (getColumnRowCount(column) !== 1) return [];
    const read = await readColumn(column, { start: 0, end: 1 }, new ScanState(cx.text, cx.options));
    const [text] = read.layout === "variable" && read.type.id === "Utf8" ? decodeTextValues(read) : [null];
    return text === null ? [] : jsonNodes(path, await decodedJson(text.trim()));
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    cx.warn(`${path}: ${error.problem}; its values are not listed`);
    return [];
  }
}

/**
 * Decodes JSON, or zlib-compressed JSON in base64. Uncompressed JSON is tried first, because a text such as `true` is
 * also valid base64.
 */
async function decodedJson(text: string): Promise<unknown> {
  if (text.length > MAX_BYTES)
    throw new UnsupportedError(`${text.length} characters; at most ${MAX_BYTES} are decoded`);
  const plain = parsed(text);
  if (plain !== undefined) return plain;
  if (text === "" || !BASE64.test(text)) throw new InvalidDataError("neither JSON nor base64");
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const json = parsed(new TextDecoder().decode(await inflate(bytes, "zlib", { bytes: MAX_BYTES, exact: false })));
  if (json === undefined) throw new InvalidDataError("base64 and zlib, but of no JSON");
  return json;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Maximum nesting depth and maximum number of values in the JSON. Real texts stay below these limits. */
const MAX_DEPTH = 64;
const MAX_NODES = 100_000;

/**
 * Creates the nodes for a JSON value: objects and lists level by level, down to lists of scalar values.
 * @param path the value's path; the nodes are below it.
 * @throws {UnsupportedError} if there are too many nodes.
 */
function jsonNodes(path: string, value: unknown): readonly MappingNode[] {
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
  const type = describeArrowType(getColumnType(column));
  return { path, kind: "json", type, shape, value: values.length > MAX_VALUES ? null : column };
}

/** Makes a column of JSON scalars that have the same type; null for other values. */
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

/** Makes an in-memory array. Every read returns all values. */
function plan(path: string, type: StoredType, shape: readonly number[], values: StoredValues): SinglePlan {
  const array: StoredArray = {
    ...{ kind: "array", path, id: path, attributes: new Map(), type, shape, chunks: null },
    read: async () => values,
  };
  return { kind: "array", array };
}
