/** What the readers of all parts of a file share: the elements found so far, and helpers that open children. */

import { InvalidDataError } from "annarrow";
import type { Node } from "annarrow/core/containers";
import type { MappingNode } from "annarrow/core/jobs";
import type { FoundElements } from "annarrow/core/readers";
import type { Group, TableElement } from "annarrow/format";
import { listChildNames, openChild, type ReaderContext } from "annarrow/format";

export interface H5SeuratContext {
  readonly reading: ReaderContext;
  readonly found: FoundElements;
  /** The nodes of each mapping, for the table that lists them. */
  readonly listed: Map<string, readonly MappingNode[]>;
}

export interface OpenedGroup {
  readonly group: Group;
  readonly keys: readonly string[];
}

export async function add(
  cx: H5SeuratContext,
  name: string,
  make: () => TableElement | Promise<TableElement>,
): Promise<void> {
  const element = await cx.found.element(name, async () => make());
  if (element !== null) cx.found.tables.set(name, element);
}

/** Opens a child group. Returns null if it is absent, or if it is not a group, which is recorded as a failure. */
export async function openGroup(cx: H5SeuratContext, parent: OpenedGroup, name: string): Promise<OpenedGroup | null> {
  if (!parent.keys.includes(name)) return null;
  return cx.found.element(name, async () =>
    openGroupWithKeys(await openChild(parent.group, name, cx.reading), cx.reading),
  );
}

/** @throws {InvalidDataError} for a dataset. */
export async function openGroupWithKeys(node: Node, cx: ReaderContext): Promise<OpenedGroup> {
  if (node.kind !== "group") throw new InvalidDataError("a dataset, a group is needed", { element: node.path });
  return { group: node, keys: await listChildNames(node, cx) };
}
