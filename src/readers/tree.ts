/** Walks mappings: every leaf is an element, named by its path. */

import { describeArrowType } from "../arrow/type.js";
import type { Group, Node } from "../containers/tree/container.js";
import { createTablePlan, type MappingNode, type TablePlan } from "../jobs/plan/plan.js";
import { MAX_VALUES, NODE_FIELDS } from "../jobs/rows/mapping-nodes.js";
import {
  type AnnarrowError,
  InvalidDataError,
  isAnnarrowError,
  runWithLocation,
  UnsupportedError,
} from "../model/errors.js";
import { countElements } from "../model/stored.js";
import { mapConcurrently } from "./concurrency.js";
import { ABSENT, type Element, type TableElement } from "./element.js";
import { listChildNames, openChild, type ReaderContext } from "./reader.js";

/** Maximum nesting of mappings, and maximum number of nodes in a file; real files have fewer. */
const MAX_DEPTH = 128;
const MAX_NODES = 1_000_000;

/**
 * Maximum number of repeated visits to groups. Several links may lead to the same group: thirty groups with two links
 * each have 2^30 paths.
 */
const MAX_REPEATED = 10_000;

/** Collects elements, and the failures of elements that cannot be read. */
export class FoundElements {
  readonly tables = new Map<string, TableElement>();
  readonly failures = new Map<string, AnnarrowError>();
  readonly warnings: string[] = [];

  /** Opens an element. If this fails, records the error as the failure of `name` and returns null. */
  async element<T = Element>(name: string, open: () => Promise<T>): Promise<T | null> {
    return await this.#orNull(name, () => runWithLocation({ element: name }, open));
  }

  /**
   * Lists a mapping's children. If this fails, records the error as the failure of `name` and returns an empty list.
   */
  async keys(name: string, group: Group, cx: ReaderContext): Promise<readonly string[]> {
    return (await this.#orNull(name, () => listChildNames(group, cx))) ?? [];
  }

  async #orNull<T>(name: string, action: () => Promise<T>): Promise<T | null> {
    try {
      return await action();
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      this.failures.set(name, error);
      return null;
    }
  }

  /** Records the failures of a table's columns, each under the column's own name. */
  noteColumns(name: string, { failures = new Map() }: Pick<TableElement, "failures">): void {
    for (const [column, error] of failures) this.failures.set(`${name}/${column}`, error);
  }

  /** Appends elements that are later in file order. */
  add({ tables, failures, warnings }: FoundElements): void {
    for (const [name, table] of tables) this.tables.set(name, table);
    for (const [name, failure] of failures) this.failures.set(name, failure);
    for (const warning of warnings) this.warnings.push(warning);
  }
}

/** One element with its descendants. Branches are read concurrently, and put in order at the end. */
interface Branch {
  readonly found: FoundElements;
  readonly node: MappingNode | null;
  readonly below: readonly Branch[];
}

export interface MappingKey {
  readonly key: string;
  readonly type: string;
}

/** A mapping that the walk visits, with the ids of the groups on the path from the first mapping to this one. */
interface VisitedMapping {
  readonly path: string;
  readonly group: Group;
  readonly type: string;
  readonly ancestors: readonly string[];
}

type OpenNode = (node: Node, cx: ReaderContext, below: MappingKey) => Element | Promise<Element>;

/**
 * Adds all elements below the mapping `group`, whose path is `name`.
 * @param open creates an element from a node, as the format defines it.
 * @param skip paths to skip.
 * @returns the nodes to list in the mapping's derived table.
 */
export async function walkMapping(
  name: string,
  group: Group,
  found: FoundElements,
  cx: ReaderContext,
  open: OpenNode,
  skip: ReadonlySet<string> = new Set(),
): Promise<MappingNode[]> {
  const nodes: MappingNode[] = [];
  const groups = new Set<string>();
  let repeated = 0;
  let opened = 0;
  const add = (branch: Branch) => {
    found.add(branch.found);
    if (branch.node !== null) nodes.push(branch.node);
    branch.below.forEach(add);
  };
  (await visit(found, { path: name, group, type: "dict", ancestors: [group.id] })).forEach(add);
  return nodes;

  /** @param parentFound records the failure if the group cannot be listed. */
  async function visit(parentFound: FoundElements, mapping: VisitedMapping): Promise<readonly Branch[]> {
    const { path, group: parent } = mapping;
    const keys = await parentFound.keys(path, parent, cx);
    const wanted = keys.filter((key) => !skip.has(`${path}/${key}`));
    return await mapConcurrently(wanted, (key) => branch(mapping, key));
  }

  async function branch({ path: above, group: parent, type, ancestors }: VisitedMapping, key: string): Promise<Branch> {
    const path = `${above}/${key}`;
    const own = new FoundElements();
    const element = await own.element(path, async () => {
      const node = await openChild(parent, key, cx);
      if (node.kind === "group" && ancestors.includes(node.id)) {
        throw new InvalidDataError("a link leads back to a group that holds it");
      }
      if (ancestors.length > MAX_DEPTH) throw new UnsupportedError(`nested more than ${MAX_DEPTH} deep`);
      if (opened >= MAX_NODES) throw new UnsupportedError(`more than ${MAX_NODES} elements below ${name}`);
      if (node.kind === "group") {
        if (groups.has(node.id) && ++repeated > MAX_REPEATED) {
          throw new UnsupportedError(`links lead to the same groups again and again, more than ${MAX_REPEATED} times`);
        }
        groups.add(node.id);
      }
      opened++;
      return open(node, withWarningsTo(own, cx), { key, type });
    });
    if (element === null || element === ABSENT) return { found: own, node: null, below: [] };
    if (element.kind === "table") {
      own.tables.set(path, element);
      return { found: own, node: createMappingNode(path, element), below: [] };
    }
    const node = { path, kind: element.type, type: null, shape: null, value: null };
    const below = await visit(own, {
      path,
      group: element.group,
      type: element.type,
      ancestors: [...ancestors, element.group.id],
    });
    return { found: own, node, below };
  }
}

/** Makes a context whose warnings go to `found`, so that concurrent reads warn in the order of the file. */
export function withWarningsTo<C extends ReaderContext>(found: FoundElements, cx: C): C {
  return { ...cx, warn: (message) => found.warnings.push(message) };
}

/** Makes an element's row in the derived table. */
export function createMappingNode(path: string, { fields, metadata, plan }: TableElement): MappingNode {
  const { kind } = metadata;
  const shape = metadata.shape ?? null;
  const single = plan.kind === "columns" && plan.columns.length === 1 && kind !== "dataframe" && kind !== "rec-array";
  const type = single ? describeArrowType(fields[0].type) : describeArrowType({ id: "Struct", fields });
  const small =
    single && kind !== "awkward-array" && shape !== null && countElements(shape.slice(0, depth(shape))) <= MAX_VALUES;
  return { path, kind, type, shape, value: small ? plan.columns[0] : null };
}

/** Returns the number of dimensions before the first one of length 0, below which all are empty; at least 1. */
function depth(shape: readonly number[]): number {
  const empty = shape.indexOf(0);
  return empty < 0 ? shape.length : Math.max(1, empty);
}

/** Plans the table that lists the nodes below a mapping. */
export function createDerivedPlan(name: string, nodes: readonly MappingNode[], cx: ReaderContext): TablePlan {
  return createTablePlan({
    name,
    fields: NODE_FIELDS,
    metadata: { kind: "dict", shape: [nodes.length] },
    rows: nodes.length,
    derived: true,
    plan: { kind: "mapping-nodes", nodes },
    text: cx.text,
  });
}
