/** DuckDB's plan for a statement as typed, validated data. */

import { InvalidDataError } from "../model/errors.js";

/** An operator in a plan. Its children provide its input rows. */
export interface PlanNode {
  /** `SEQ_SCAN`, `HASH_JOIN`, … */
  readonly operator: string;
  /** DuckDB's details about the operator, under DuckDB's keys, such as `Filters` and `Projections`. */
  readonly details: ReadonlyMap<string, readonly string[]>;
  readonly children: readonly PlanNode[];
}

export interface PlannedScan {
  readonly table: string;
  readonly filters: readonly string[];
  /** Filters directly above the scan. They therefore refer to the scan's columns. */
  readonly filtersAbove: readonly string[];
  /** Whether only projections are between the scan and a limit above it. */
  readonly isLimited: boolean;
}

/**
 * Checks the result of `explain (format json)`: a list of trees.
 * @throws {InvalidDataError} for anything else.
 */
export function parseQueryPlan(explained: unknown): readonly PlanNode[] {
  if (!Array.isArray(explained)) throw unknownForm();
  return explained.map(nodeOf);
}

function nodeOf(value: unknown): PlanNode {
  if (typeof value !== "object" || value === null || !("name" in value) || typeof value.name !== "string") {
    throw unknownForm();
  }
  const children: unknown = "children" in value ? value.children : [];
  if (!Array.isArray(children)) throw unknownForm();
  const info: unknown = "extra_info" in value ? value.extra_info : {};
  const entries: [string, unknown][] = typeof info === "object" && info !== null ? Object.entries(info) : [];
  const details = entries.map(([key, text]): [string, readonly string[]] => [key, textsOf(text)]);
  return { operator: value.name.trim(), details: new Map(details), children: children.map(nodeOf) };
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (Array.isArray(value) && value.every((text) => typeof text === "string")) return value;
  throw unknownForm();
}

const unknownForm = () => new InvalidDataError("DuckDB describes its plan in an unknown form");

export function* listOperators(nodes: readonly PlanNode[]): Generator<PlanNode> {
  for (const node of nodes) {
    yield node;
    yield* listOperators(node.children);
  }
}

const LIMITS: readonly string[] = ["STREAMING_LIMIT", "LIMIT"];

export function countLimits(nodes: readonly PlanNode[]): number {
  return [...listOperators(nodes)].filter(({ operator }) => LIMITS.includes(operator)).length;
}

export function* listScans(
  nodes: readonly PlanNode[],
  isLimited = false,
  filtersAbove: readonly string[] = [],
): Generator<PlannedScan> {
  for (const { operator, details, children } of nodes) {
    const [table] = details.get("Table") ?? [];
    const filters = details.get("Filters") ?? [];
    if (table !== undefined) yield { table: unqualified(table), filters, filtersAbove, isLimited };
    yield* listScans(
      children,
      LIMITS.includes(operator) || (isLimited && operator === "PROJECTION"),
      operator === "FILTER" ? [...filtersAbove, ...(details.get("Expression") ?? [])] : [],
    );
  }
}

/** Native DuckDB writes `memory.main."a table"`, whereas DuckDB-WASM writes only the name. */
function unqualified(table: string): string {
  const [, quoted] = /^memory\.main\."((?:""|[^"])*)"$/.exec(table) ?? [];
  return quoted?.replaceAll('""', '"') ?? table.replace(/^memory\.main\./, "");
}

/** Operators whose rows come only from scans below them or from constants. */
const KNOWN = new Set(
  `PROJECTION FILTER SEQ_SCAN TABLE_SCAN HASH_JOIN NESTED_LOOP_JOIN BLOCKWISE_NL_JOIN PIECEWISE_MERGE_JOIN IE_JOIN
   ASOF_JOIN CROSS_PRODUCT POSITIONAL_JOIN POSITIONAL_SCAN LEFT_DELIM_JOIN RIGHT_DELIM_JOIN DELIM_SCAN HASH_GROUP_BY
   PERFECT_HASH_GROUP_BY PARTITIONED_AGGREGATE UNGROUPED_AGGREGATE WINDOW STREAMING_WINDOW ORDER_BY TOP_N LIMIT
   STREAMING_LIMIT LIMIT_PERCENT UNION CTE CTE_SCAN RECURSIVE_CTE RECURSIVE_CTE_SCAN COLUMN_DATA_SCAN DUMMY_SCAN
   EMPTY_RESULT UNNEST RANGE RESERVOIR_SAMPLE STREAMING_SAMPLE PIVOT`.split(/\s+/),
);

/** Whether all rows of the plan come from its scans. */
export function hasAllScans(nodes: readonly PlanNode[]): boolean {
  return [...listOperators(nodes)].every(({ operator }) => KNOWN.has(operator));
}
