/** Visits all groups and arrays in a file, ordered by name, and makes their tables. */

import type { Group, Node } from "../../containers/tree/container.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { mapConcurrently } from "../concurrency.js";
import type { TableElement } from "../element.js";
import { listChildNames, openChild } from "../reader.js";
import { FoundElements, withWarningsTo } from "../tree.js";
import { createGenericArrayElement } from "./arrays/array.js";
import type { GenericContext } from "./arrays/context.js";
import { groupTable, openConventionalTable } from "./conventions/conventions.js";

/** Maximum nesting depth of groups, and maximum number of groups that are visited again through additional links. */
const MAX_DEPTH = 128;
const MAX_REPEATED = 10_000;

export interface Visited {
  readonly path: string;
  /** The node's kind in the contents table, if it has no table of its own. */
  readonly kind: string;
  readonly node: Node;
  /** The node's table; null for a generic group, and for a link back to an ancestor. */
  readonly element: TableElement | null;
}

interface Branch {
  readonly found: FoundElements;
  readonly visited: readonly Visited[];
  readonly below: readonly Branch[];
}

/** A group that is being visited, with the ids of all groups from the root down to this group. */
interface Place {
  readonly path: string;
  readonly group: Group;
  readonly ancestors: readonly string[];
}

/**
 * Visits everything below the root in the context.
 * @param found receives the failures and warnings of all nodes.
 */
export async function walkTree(found: FoundElements, cx: GenericContext): Promise<readonly Visited[]> {
  const seen = new Set<string>();
  let repeated = 0;
  const { root } = cx;
  const all: Visited[] = [];
  const add = (branch: Branch) => {
    found.add(branch.found);
    all.push(...branch.visited);
    branch.below.forEach(add);
  };
  add(await groupBranch({ path: "", group: root, ancestors: [root.id] }));
  return all;

  async function groupBranch(place: Place): Promise<Branch> {
    const { path, group } = place;
    const own = new FoundElements();
    const known = await own.element(path, async () => {
      const keys = await listChildNames(group, cx);
      return { keys, table: await groupTable(group, keys, withWarningsTo(own, cx)) };
    });
    const table = known?.table ?? null;
    const kind = table?.kind ?? "group";
    const visited = [{ path, kind, node: group, element: table?.element ?? null }];
    const keys = table === null ? (known?.keys ?? []) : (table.below ?? []);
    return { found: own, visited, below: await mapConcurrently(keys, (key) => childBranch(place, key)) };
  }

  async function childBranch({ path: above, group, ancestors }: Place, key: string): Promise<Branch> {
    const path = above === "" ? key : `${above}/${key}`;
    const own = new FoundElements();
    const opened = await own.element<Node | "type">(path, async () => {
      const node = await openChild(group, key, cx).catch(async (error: unknown) => {
        const id = (await group.namedTypeId?.(key, cx.options)) ?? null;
        if (id === null) throw error;
        cx.paths.add(id, path);
        return "type" as const;
      });
      if (node !== "type" && node.kind === "group") checkRepeated(node, ancestors);
      return node;
    });
    if (opened === null || opened === "type") return { found: own, visited: [], below: [] };
    if (opened.kind === "group") {
      if (ancestors.includes(opened.id)) {
        return { found: own, visited: [{ path, kind: "link", node: opened, element: null }], below: [] };
      }
      return groupBranch({ path, group: opened, ancestors: [...ancestors, opened.id] });
    }
    const element = await own.element(
      path,
      async () =>
        (await openConventionalTable(opened, withWarningsTo(own, cx))) ??
        createGenericArrayElement(opened, withWarningsTo(own, cx)),
    );
    if (element === null) return { found: own, visited: [], below: [] };
    const visited: Visited =
      element.kind === "none"
        ? { path, kind: element.is, node: opened, element: null }
        : { path, kind: element.metadata.kind, node: opened, element };
    return { found: own, visited: [visited], below: [] };
  }

  function checkRepeated({ id }: Group, ancestors: readonly string[]): void {
    if (ancestors.length > MAX_DEPTH) throw new UnsupportedError(`nested more than ${MAX_DEPTH} deep`);
    if (seen.has(id) && ++repeated > MAX_REPEATED) {
      throw new InvalidDataError(`links lead to the same groups again and again, more than ${MAX_REPEATED} times`);
    }
    seen.add(id);
  }
}
