/** Global attributes: the tree `/attrs` since 3.0.0, root attributes before that. Both are read from every file. */

import type { Group, Node, StoredArray } from "../../containers/tree/container.js";
import type { MappingNode } from "../../jobs/plan/plan.js";
import { mapConcurrently } from "../concurrency.js";
import type { Element } from "../element.js";
import { listChildNames, readOrNull } from "../reader.js";
import { createMappingNode, FoundElements, walkMapping } from "../tree.js";
import { createLoomArrayElement, type LoomContext } from "./array.js";
import { createMetaDataNodes } from "./scope-metadata.js";

export function openGlobal(node: Node, cx: LoomContext): Element {
  if (node.kind === "group") return { kind: "mapping", type: "dict", group: node };
  return createLoomArrayElement(node, cx);
}

/**
 * Adds all globals to `found`. A dataset hides a root attribute with the same name.
 * @param attrs the group `/attrs`; null if the file has no such group.
 * @returns the nodes for the derived table; null if there is no such table.
 */
export async function readGlobals(
  root: Group,
  attrs: Group | null,
  found: FoundElements,
  cx: LoomContext,
): Promise<readonly MappingNode[] | null> {
  const taken = new Set(attrs === null ? [] : ((await readOrNull(listChildNames(attrs, cx))) ?? []));
  const nodes = attrs === null ? [] : await walkMapping("attrs", attrs, found, cx, (node) => openGlobal(node, cx));
  const attributes = (await root.openAttributes?.(cx.options)) ?? new Map<string, () => Promise<StoredArray>>();
  // The root's time stamp is not a global.
  const own = [...attributes].filter(([name]) => name !== "last_modified" && !taken.has(name));
  own.sort(([a], [b]) => (a < b ? -1 : 1));
  for (const { part, node } of await mapConcurrently(own, ([name, open]) => rootAttribute(name, open, cx))) {
    found.add(part);
    if (node !== null) nodes.push(node);
  }
  const decoded = await createMetaDataNodes("attrs/MetaData", found.tables.get("attrs/MetaData"), cx);
  const place = nodes.findIndex(({ path }) => path === "attrs/MetaData");
  const all = [...nodes.slice(0, place + 1), ...decoded, ...nodes.slice(place + 1)];
  return attrs === null && all.length === 0 ? null : all;
}

async function rootAttribute(name: string, open: () => Promise<StoredArray>, cx: LoomContext) {
  const part = new FoundElements();
  const path = `attrs/${name}`;
  const element = await part.element(path, async () => createLoomArrayElement(await open(), cx, "root"));
  if (element === null) return { part, node: null };
  part.tables.set(path, element);
  return { part, node: createMappingNode(path, element) };
}
