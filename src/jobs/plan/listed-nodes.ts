/** The nodes that the derived table of a mapping lists, under other names or without some of them. */

import type { TablePlan } from "./plan.js";

/** The table with other paths of its nodes, null leaves a node out. Tables that list no nodes stay as they are. */
export function withNodes(table: TablePlan, pathOf: (path: string) => string | null): TablePlan {
  if (table.plan.kind !== "mapping-nodes") return table;
  const nodes = table.plan.nodes.flatMap((node) => {
    const path = pathOf(node.path);
    return path === null ? [] : [{ ...node, path }];
  });
  return { ...table, rows: nodes.length, plan: { kind: "mapping-nodes", nodes } };
}

/** The table under another name; the paths of nodes below the table follow. */
export function renamedPlan(table: TablePlan, name: string): TablePlan {
  const { name: own, plan } = table;
  if (plan.kind !== "mapping-nodes") return { ...table, name };
  const below = `${own}/`;
  const nodes = plan.nodes.map((node) =>
    node.path.startsWith(below) ? { ...node, path: name + node.path.slice(own.length) } : node,
  );
  return { ...table, name, plan: { kind: "mapping-nodes", nodes } };
}
