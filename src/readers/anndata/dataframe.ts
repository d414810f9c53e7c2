/** `dataframe` 0.2.0 and 0.1.0, and the compound arrays before 0.7. */

import type { Group, StoredArray } from "../../containers/tree/container.js";
import { InvalidDataError, located } from "../../model/errors.js";
import { openPath, type ReaderContext } from "../context.js";
import type { ColumnElement, TableElement } from "../element.js";
import { frameOf } from "../frame.js";
import { inOrder } from "../in-order.js";
import { textAttribute, textsAttribute } from "./attributes.js";
import { openColumn } from "./column.js";
import { encodingMetadata } from "./registry.js";

/** A dataframe group: index first, then the columns in their stored order. */
export async function dataframeElement(group: Group, cx: ReaderContext): Promise<TableElement> {
  const index = textAttribute(group, "_index");
  if (index === undefined) throw new InvalidDataError("a dataframe without _index", { element: group.path });
  const order = textsAttribute(group, "column-order") ?? [];
  const names = [...new Set([index, ...order])];
  // anndata 0.8 let a column through twice; there is but one child.
  if (new Set(order).size < order.length) cx.warn(`${group.path}: column-order names a column twice; it is kept once`);
  const columns = await inOrder(names, async (name) => {
    const node = await located({ element: `${group.path}/${name}` }, () => openPath(group, name, cx));
    return await located({ element: node.path }, () => openColumn(node, cx, group));
  });
  const place = order.indexOf(index);
  return frameOf(group.path, names, columns, {
    ...encodingMetadata(group),
    index,
    // The index is also a column: its place among them.
    ...(place < 0 ? {} : { indexColumn: place }),
  });
}

/** A compound array before 0.7: the first field is the index. `categories` are those of its categorical fields. */
export function compoundFrame(
  array: StoredArray,
  name: string,
  categories: ReadonlyMap<string, StoredArray>,
): TableElement {
  const { type, shape } = array;
  if (type.kind !== "record" || shape?.length !== 1 || type.fields.length === 0) {
    throw new InvalidDataError("neither a dataframe nor a compound array of one dimension", { element: array.path });
  }
  const columns = type.fields.map((field, i): ColumnElement => {
    const codes = { kind: "field", array, field: i } as const;
    const values = i === 0 ? undefined : categories.get(field.name);
    if (values === undefined)
      return { plan: codes, metadata: { kind: field.type.kind === "text" ? "string-array" : "array" } };
    return {
      plan: { kind: "categorical", codes, categories: { kind: "array", array: values }, ordered: false },
      metadata: { kind: "categorical" },
    };
  });
  const names = type.fields.map((field) => field.name);
  return frameOf(name, names, columns, { index: names[0] });
}
