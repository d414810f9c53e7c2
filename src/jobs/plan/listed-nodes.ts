/** Renames or removes the nodes listed in a mapping's derived table. */

import type { TablePlan } from "./plan.js";

/**
 * Returns the table with the node paths that `pathOf` returns; null removes a node. Tables that list no nodes are
 * unchanged.
 */
export function withNodes(table: TablePlan, pathOf: (path: string) => string | null): TablePlan {
  if (table.plan.kind !== "mapping-nodes") return table;
  const nodes = table.plan.nodes.flatMap((node) => {
    const path = pathOf(node.path);
    return path === null ? [] : [{ ...node, path }];
  });
  return { ...table, rows: nodes.length, plan: { kind: "mapping-nodes", nodes } };
}

/** Returns the table under another name. The paths of its nodes change accordingly. */
export function renamePlan(table: TablePlan, name: string): TablePlan {
  const { name: own, plan } = table;
  if (plan.kind !== "mapping-nodes") return { ...table, name };
  const below = `${own}/`;
  const nodes = plan.nodes.map((node) =>
    node.path.startsWith(below) ? { ...node, path: name + node.path.slice(own.length) } : node,
  );
  return { ...table, name, plan: { kind: "mapping-nodes", nodes } };
}
