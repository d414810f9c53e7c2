/** What lies below a mapping -> the plan of the table that lists it. */

import { NODE_FIELDS } from "../jobs/nodes.js";
import type { MappingNode, TablePlan } from "../jobs/plan.js";
import type { Context } from "./context.js";

/** The table that lists the nodes below a mapping. */
export function derivedPlan(name: string, nodes: readonly MappingNode[], cx: Context): TablePlan {
  return {
    name,
    fields: NODE_FIELDS,
    metadata: { kind: "dict", shape: [nodes.length] },
    schemaMetadata: new Map(),
    rows: nodes.length,
    derived: true,
    axis: null,
    plan: { kind: "nodes", nodes },
    text: cx.text,
    columnNames: null,
  };
}
