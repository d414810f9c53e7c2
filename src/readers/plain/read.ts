/**
 * Reads any HDF5 file or Zarr store as the tables that it holds: one for each array, named by its path, and the table `/`,
 * which lists all groups and arrays with their attributes.
 */

import type { Group } from "../../containers/tree/container.js";
import type { ContentNode, TablePlan } from "../../jobs/plan/plan.js";
import { CONTENT_FIELDS } from "../../jobs/rows/mapping-nodes.js";
import type { TableElement } from "../element.js";
import type { DatasetPlans, ReaderContext } from "../reader.js";
import { derivedPlan, FoundElements, nodeOf, withWarningsTo } from "../tree.js";
import { attributesJson } from "./attributes.js";
import { type PlainContext, ReferencedPaths, ROOT } from "./conventions/context.js";
import { type Visited, walkTree } from "./walk.js";

export async function readPlain(root: Group, cx: ReaderContext): Promise<DatasetPlans> {
  const found = new FoundElements();
  const { dereferencedId } = cx.container;
  const plain: PlainContext = withWarningsTo(found, { ...cx, root, paths: new ReferencedPaths(dereferencedId) });
  const visited = await walkTree(found, plain);
  for (const { node, path } of visited) plain.paths.add(node.id, path);
  const tables: TablePlan[] = [];
  const nodes: ContentNode[] = [];
  for (const one of visited) {
    const attributes = one.kind === "link" ? null : attributesJson(one.node, plain);
    nodes.push({ ...contentNode(one), attributes: attributes === null ? null : JSON.stringify(attributes) });
    if (one.element === null) continue;
    tables.push(tablePlan(one.path, one.element, attributes === null ? {} : { attributes }, cx));
  }
  for (const warning of found.warnings) cx.warn(warning);
  tables.push(contents(nodes, cx));
  return { version: "", shape: null, tables, failures: found.failures };
}

function contentNode({ path, kind, element }: Visited): Omit<ContentNode, "attributes"> {
  const name = path === "" ? ROOT : path;
  return element === null ? { path: name, kind, type: null, shape: null, value: null } : nodeOf(name, element);
}

function tablePlan(
  path: string,
  element: TableElement,
  attributes: Readonly<Record<string, unknown>>,
  cx: ReaderContext,
): TablePlan {
  return {
    name: path === "" ? ROOT : path,
    fields: element.fields,
    metadata: { ...element.metadata, ...attributes },
    schemaMetadata: element.schemaMetadata ?? new Map(),
    rows: element.rows,
    derived: false,
    axis: null,
    plan: element.plan,
    text: cx.text,
    columnNames: null,
  };
}

function contents(nodes: readonly ContentNode[], cx: ReaderContext): TablePlan {
  return {
    ...derivedPlan(ROOT, nodes, cx),
    fields: CONTENT_FIELDS,
    metadata: { kind: "group", shape: [nodes.length] },
  };
}
