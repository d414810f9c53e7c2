/** Tables of a modality under their names in the whole. */

import type { TablePlan } from "../../jobs/plan/plan.js";

/** The table `X` of the modality at `mod/rna` as `mod/rna/X`; a table of nodes lists them by such names too. */
export function inModality(table: TablePlan, path: string): TablePlan {
  const name = `${path}/${table.name}`;
  if (table.plan.kind !== "nodes") return { ...table, name };
  const nodes = table.plan.nodes.map((node) => ({ ...node, path: `${path}/${node.path}` }));
  return { ...table, name, plan: { kind: "nodes", nodes } };
}
