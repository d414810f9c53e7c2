/** What DuckDB's plan of a statement says of the scans of each table. */

import { InvalidDataError, InvalidInputError } from "../model/errors.js";
import type { DuckDBEngine } from "../sinks/duckdb/engine.js";
import { type Condition, columnWithout, conditionsOf, termsOf } from "./conditions.js";
import type { NamedTable } from "./named-tables.js";
import { limitsOf, operatorsOf, type PlanNode, scansOf, showsAllScans } from "./plan.js";
import { filterOnPositions, markerOf, planOverStandIns, tableOfStandIn } from "./stand-ins.js";
import { type ComparedSubquery, markedStatement } from "./subqueries.js";

/** A scan of one of the tables, with the conditions that hold for its rows. */
export interface ConditionedScan {
  readonly conditions: readonly Condition[];
  /** Whether the conditions say exactly which rows the scan gives. */
  readonly isExact: boolean;
  /** Whether nothing but projections stands between the scan and a limit. */
  readonly isLimited: boolean;
}

export interface PlannedStatement {
  /** The scans of a table; none where no row of it is needed. */
  readonly scans: (named: NamedTable) => readonly ConditionedScan[];
  /** The scans of a matrix in another plan, which shows filters above scans as well; none where there is no such plan. */
  readonly filteredScans: (named: NamedTable) => readonly ConditionedScan[];
  /** Whether the statement takes rows from nothing but scans. */
  readonly showsAll: boolean;
  /** The number of limits. */
  readonly limits: number;
  /** The subqueries whose markers the plan has. */
  readonly subqueries: readonly ComparedSubquery[];
  /** The markers of the tables, and behind them the ones of the subqueries. */
  readonly markers: readonly number[];
}

export interface Planning {
  readonly engine: DuckDBEngine;
  readonly sql: string;
  readonly tables: readonly NamedTable[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Plans a statement with markers of subqueries, or without them where DuckDB refuses it so.
 * @throws {InvalidInputError} with DuckDB's message.
 */
export async function planStatement(
  planning: Planning,
  subqueries: readonly ComparedSubquery[],
): Promise<PlannedStatement> {
  const { engine, sql, tables, signal } = planning;
  const markers = [...tables, ...subqueries].map((_, index) => markerOf(index));
  const marked = markedStatement(sql, subqueries, (index) => markers[tables.length + index]);
  try {
    const plan = await planOverStandIns(engine, marked, tables, "columns", signal);
    const scans = scansByTable(plan, tables, markers);
    const filtered = hasChoices(plan)
      ? scansByTable(await planOverStandIns(engine, marked, tables, "expressions", signal), tables, markers, true)
      : new Map<NamedTable, readonly ConditionedScan[]>();
    return {
      scans: (named) => scans.get(named) ?? [],
      filteredScans: (named) => filtered.get(named) ?? [],
      showsAll: showsAllScans(plan),
      limits: limitsOf(plan),
      ...{ subqueries, markers },
    };
  } catch (error) {
    if (subqueries.length === 0 || !isNoPlan(error)) throw error;
    return planStatement(planning, []);
  }
}

/** Whether DuckDB refuses a statement, or its plan is not understood. */
export function isNoPlan(error: unknown): error is InvalidInputError | InvalidDataError {
  return error instanceof InvalidInputError || error instanceof InvalidDataError;
}

/** Whether a plan has a filter by OR, which DuckDB does not put into the filters of scans. */
function hasChoices(plan: readonly PlanNode[]): boolean {
  return [...operatorsOf(plan)].some(
    ({ operator, details }) => operator === "FILTER" && details.get("Expression")?.some((text) => / OR /.test(text)),
  );
}

/** @param byExpressions whether the positions of matrices are expressions in the plan, and nothing else is told of them. */
function scansByTable(
  plan: readonly PlanNode[],
  tables: readonly NamedTable[],
  markers: readonly number[],
  byExpressions = false,
): ReadonlyMap<NamedTable, readonly ConditionedScan[]> {
  const scans = new Map<NamedTable, ConditionedScan[]>();
  for (const { table, filters, filtersAbove, isLimited } of scansOf(plan)) {
    const named = tableOfStandIn(table, tables);
    if (named === undefined || (byExpressions && named.entries === null)) continue;
    const { known, isExact } = conditionsOf(
      byExpressions ? [...filters, ...filtersAbove].map(filterOnPositions) : filters,
    );
    const own = markerOf(tables.indexOf(named));
    const conditions = known.flatMap(termsOf).filter((condition) => columnWithout(condition, own) === null);
    // Rows before a limit are the first ones of all rows, not of those that a join leaves.
    const isMarked = conditions.some((condition) => isMarker(condition, markers));
    const scan = { conditions, isExact, isLimited: isLimited && !isMarked };
    scans.set(named, [...(scans.get(named) ?? []), scan]);
  }
  return scans;
}

export function isMarker(condition: Condition, markers: readonly number[]): boolean {
  return markers.some((marker) => columnWithout(condition, marker) !== null);
}
