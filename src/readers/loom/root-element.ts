/** Opens a child of the root: layers, attributes, graphs, and children that are not part of the format. */

import type { Group, Node } from "../../containers/tree/container.js";
import { InvalidDataError } from "../../model/errors.js";
import { mapConcurrently } from "../concurrency.js";
import type { TableElement } from "../element.js";
import { childNames, openChild } from "../reader.js";
import { FoundElements, walkMapping, withWarningsTo } from "../tree.js";
import { arrayElement, type LoomContext } from "./array.js";
import { attributeTable, type DerivedTables } from "./attribute-table.js";
import { openGlobal } from "./globals.js";
import { graphElement } from "./graph.js";
import { type Lengths, layerElement, type MatrixShape } from "./matrix.js";

/** The tables of a child of the root, and its derived tables. */
export interface RootElement {
  readonly found: FoundElements;
  readonly listed: DerivedTables;
}

/** The sizes that elements are compared with. */
interface MatrixSizes {
  /** null if the matrix cannot be read. */
  readonly matrix: MatrixShape | null;
  readonly lengths: Lengths;
}

/** Opens a child of the root. Arrays that are not part of the format become tables under their paths. */
export async function openRootElement(
  root: Group,
  name: string,
  sizes: MatrixSizes,
  plain: LoomContext,
): Promise<RootElement> {
  const found = new FoundElements();
  const cx = withWarningsTo(found, plain);
  const listed = await found.element(name, async (): Promise<DerivedTables> => {
    const node = await openChild(root, name, cx);
    switch (name) {
      case "layers":
        await eachChild(name, groupOf(node), found, cx, (child, at) => layerElement(child, sizes.matrix, at));
        return [];
      case "row_attrs":
      case "col_attrs": {
        const axis = name === "row_attrs" ? "rows" : "columns";
        const attributes = { name, group: groupOf(node), axis, size: lengthOf(sizes, axis) } as const;
        const table = await attributeTable(attributes, found, cx);
        found.tables.set(name, table.element);
        return table.listed;
      }
      case "row_graphs":
      case "row_edges":
      case "col_graphs":
      case "col_edges": {
        const axis = name.startsWith("row") ? "rows" : "columns";
        await eachChild(name, groupOf(node), found, cx, (child, at) => graphElement(child, lengthOf(sizes, axis), at));
        return [];
      }
      default:
        if (node.kind === "group")
          return [[name, await walkMapping(name, node, found, cx, (one) => openGlobal(one, cx))]];
        found.tables.set(name, arrayElement(node, cx));
        return [];
    }
  });
  return { found, listed: listed ?? [] };
}

/** Opens every child of a group as an element. */
async function eachChild(
  parent: string,
  group: Group,
  found: FoundElements,
  cx: LoomContext,
  open: (node: Node, cx: LoomContext) => TableElement | Promise<TableElement>,
): Promise<void> {
  const names = await childNames(group, cx);
  const parts = await mapConcurrently(names, async (name) => {
    const part = new FoundElements();
    const path = `${parent}/${name}`;
    const element = await part.element(path, async () =>
      open(await openChild(group, name, cx), withWarningsTo(part, cx)),
    );
    if (element !== null) part.tables.set(path, element);
    return part;
  });
  for (const part of parts) found.add(part);
}

/**
 * The node as a group.
 * @throws {InvalidDataError} if the node is an array.
 */
export function groupOf(node: Node): Group {
  if (node.kind === "group") return node;
  throw new InvalidDataError("an array, a group is needed");
}

function lengthOf({ lengths: [rows, cols] }: MatrixSizes, axis: "rows" | "columns"): number {
  const length = axis === "rows" ? rows : cols;
  if (length !== null) return length;
  throw new InvalidDataError(`nothing tells how many ${axis} there are`);
}
