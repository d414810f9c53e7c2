/** How many rows and columns a file has whose matrix cannot be read: as its layers or attributes say. */

import type { Group } from "../../containers/tree/container.js";
import { childNames, openChild, orNull } from "../context.js";
import type { LoomContext } from "./context.js";
import { type MatrixShape, matrixShape } from "./matrix.js";

export type Lengths = readonly [rows: number | null, cols: number | null];

/** A layer has both lengths, the first attribute of a side has one; null where nothing tells. */
export async function likelyLengths(root: Group, keys: readonly string[], cx: LoomContext): Promise<Lengths> {
  for await (const node of childrenOf(root, "layers", keys, cx)) {
    const shape: MatrixShape | null = matrixShape(node);
    if (shape !== null) return shape;
  }
  return [await attributeLength(root, "row_attrs", keys, cx), await attributeLength(root, "col_attrs", keys, cx)];
}

async function attributeLength(
  root: Group,
  name: string,
  keys: readonly string[],
  cx: LoomContext,
): Promise<number | null> {
  for await (const node of childrenOf(root, name, keys, cx)) {
    if (node?.kind === "array" && node.shape !== null && node.shape.length > 0) return node.shape[0];
  }
  return null;
}

async function* childrenOf(root: Group, name: string, keys: readonly string[], cx: LoomContext) {
  if (!keys.includes(name)) return;
  const group = await orNull(openChild(root, name, cx));
  if (group?.kind !== "group") return;
  for (const key of (await orNull(childNames(group, cx))) ?? []) yield await orNull(openChild(group, key, cx));
}
