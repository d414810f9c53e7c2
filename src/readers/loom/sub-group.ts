/**
 * Groups among the attributes, as old releases of LoomExperiment wrote them (`row_attrs/GRanges/…`,
 * `col_attrs/reducedDims/…`): a record whose fields lie in arrays of their own.
 */

import type { Group, Node, StoredArray } from "../../containers/tree/container.js";
import { columnType } from "../../jobs/rows/columns.js";
import { isAnnarrowError } from "../../model/errors.js";
import type { StoredField } from "../../model/stored.js";
import { childNames, openChild } from "../context.js";
import { inOrder } from "../in-order.js";
import type { LoomContext } from "./context.js";
import { decodedText } from "./escaped-text.js";

/** More than any real file has. */
const MAX_DEPTH = 8;
const MAX_FIELDS = 10_000;

/** The group as an array of `rows` records; null where what is in it is not one value for each row. */
export async function subGroupArray(group: Group, rows: number, cx: LoomContext): Promise<StoredArray | null> {
  let fields = 0;
  return await ofGroup(group, 1);

  async function ofGroup(parent: Group, depth: number): Promise<StoredArray | null> {
    const names = await orNothing(() => childNames(parent, cx));
    fields += names?.length ?? 0;
    if (names === null || names.length === 0 || depth > MAX_DEPTH || fields > MAX_FIELDS) return null;
    const arrays: StoredArray[] = [];
    for (const array of await inOrder(names, (name) => orNothing(() => ofChild(parent, name, depth)))) {
      if (array === null) return null;
      arrays.push(array);
    }
    return recordArray(parent, names, arrays, rows);
  }

  async function ofChild(parent: Group, name: string, depth: number): Promise<StoredArray | null> {
    const node: Node = await openChild(parent, name, cx);
    if (node.kind === "group") return ofGroup(node, depth + 1);
    if (node.shape?.[0] !== rows) return null;
    // What has no Arrow type must not hide the other fields.
    columnType({ kind: "array", array: node });
    return decodedText(node, cx);
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
  const chunkRows = Math.max(...arrays.map(({ chunks }) => chunks?.[0] ?? 1));
  return {
    ...{ kind: "array", path, id, attributes },
    type: { kind: "record", fields },
    shape: [rows],
    chunks: chunkRows > 1 ? [chunkRows] : null,
    read: async (start, end, options) => ({
      kind: "record",
      length: end - start,
      fields: await inOrder(arrays, (array) => array.read(start, end, options)),
    }),
  };
}
