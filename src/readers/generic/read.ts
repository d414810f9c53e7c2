/**
 * Reads any HDF5 file or Zarr store as tables. There is one for each array, named by its path, and a table `/` that
 * lists all groups and arrays with their attributes.
 */

import type { Group } from "../../containers/tree/container.js";
import { type ContentNode, createTablePlan, type TablePlan } from "../../jobs/plan/plan.js";
import { CONTENT_FIELDS } from "../../jobs/rows/mapping-nodes.js";
import type { TableElement } from "../element.js";
import type { DatasetPlans, ReaderContext } from "../reader.js";
import { createDerivedPlan, createMappingNode, FoundElements, withWarningsTo } from "../tree.js";
import { type GenericContext, ReferencedPaths, ROOT } from "./arrays/context.js";
import {
  findArrayDimensions,
  getAttributesWithFill,
  listDimensionAttributes,
  listNumberedDimensions,
} from "./arrays/dimensions.js";
import { readAttributeDtypes, toAttributesJson } from "./attributes.js";
import { FRAME_OF_ROOT, withFrames } from "./frames.js";
import { type Visited, walkTree } from "./walk.js";

export async function readGeneric(root: Group, cx: ReaderContext): Promise<DatasetPlans> {
  const found = new FoundElements();
  const { dereferencedId } = cx.container;
  const plain: GenericContext = withWarningsTo(found, { ...cx, root, paths: new ReferencedPaths(dereferencedId) });
  const visited = await walkTree(found, plain);
  for (const { node, path } of visited) plain.paths.add(node.id, path);
  const tables: TablePlan[] = [];
  const nodes: ContentNode[] = [];
  const numbered = listNumberedDimensions(visited.flatMap(({ node }) => (node.kind === "array" ? [node] : [])));
  const groups = new Map<string, Readonly<Record<string, unknown>>>();
  const groupTypes: Record<string, Readonly<Record<string, string>>> = {};
  for (const one of visited) {
    const { node, element } = one;
    const types = one.kind === "link" ? {} : await readAttributeDtypes(node, plain);
    const hidden = node.kind === "array" ? listDimensionAttributes(node) : NONE_HIDDEN;
    const stored = node.kind === "array" ? { path: node.path, attributes: getAttributesWithFill(node) } : node;
    const attributes = one.kind === "link" ? null : toAttributesJson(stored, plain, hidden);
    nodes.push({ ...contentNode(one), attributes: attributes === null ? null : JSON.stringify(attributes) });
    if (one.kind === "group" && Object.keys(types).length > 0) groupTypes[one.path] = types;
    if (one.kind === "group") groups.set(one.path, attributes === null ? {} : { attributes });
    if (element === null) continue;
    const dimensions = node.kind === "array" ? findArrayDimensions(node, numbered, plain) : null;
    const metadata = {
      // When characters are joined into text, the result has one dimension less than the array.
      ...(dimensions === null ? {} : { dimensions: dimensions.slice(0, element.shape.length) }),
      ...attributesOf(attributes ?? {}, element),
      ...(Object.keys(types).length === 0 ? {} : { attributeTypes: types }),
    };
    found.noteColumns(one.path, element);
    tables.push(
      createTablePlan({
        ...element,
        name: one.path === "" ? FRAME_OF_ROOT : one.path,
        metadata: { ...element.metadata, ...metadata },
        text: cx.text,
      }),
    );
  }
  for (const warning of found.warnings) cx.warn(warning);
  const { frame = [] } = cx.plain ?? {};
  const all = frame.length === 0 ? tables : withFrames(tables, visited, frame, groups);
  return { version: "", shape: null, tables: [...all, contents(nodes, groupTypes, cx)], failures: found.failures };
}

/** Returns a table's attributes. Attributes that were used for decoding are kept separately, as `cf`. */
function attributesOf(attributes: Readonly<Record<string, unknown>>, { metadata }: TableElement) {
  const { cf } = metadata;
  const isOfCf = ([name]: readonly [string, unknown]) => Array.isArray(cf) && cf.includes(name);
  const all = Object.entries(attributes);
  const rest = all.filter((one) => !isOfCf(one));
  return {
    ...(rest.length === 0 ? {} : { attributes: Object.fromEntries(rest) }),
    ...(cf === undefined ? {} : { cf: Object.fromEntries(all.filter(isOfCf)) }),
  };
}

const NONE_HIDDEN: ReadonlySet<string> = new Set();

function contentNode({ path, kind, node, element }: Visited): Omit<ContentNode, "attributes"> {
  const name = path === "" ? ROOT : path;
  const shape = node.kind === "array" ? node.shape : null;
  return element === null ? { path: name, kind, type: null, shape, value: null } : createMappingNode(name, element);
}

function contents(
  nodes: readonly ContentNode[],
  groupTypes: Readonly<Record<string, Readonly<Record<string, string>>>>,
  cx: ReaderContext,
): TablePlan {
  const attributeTypes = Object.keys(groupTypes).length === 0 ? {} : { attributeTypes: groupTypes };
  return {
    ...createDerivedPlan(ROOT, nodes, cx),
    fields: CONTENT_FIELDS,
    metadata: { kind: "group", shape: [nodes.length], ...attributeTypes },
  };
}
