/** What lies below a mapping -> the plan of the table that lists it. */

import type { MappingNode, TablePlan } from "../jobs/plan/plan.js";
import { NODE_FIELDS } from "../jobs/rows/nodes.js";
import type { ReaderContext } from "./context.js";

/** The table that lists the nodes below a mapping. */
export function derivedPlan(name: string, nodes: readonly MappingNode[], cx: ReaderContext): TablePlan {
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
