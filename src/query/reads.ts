/** Plans what is read from each table that a statement names, which is as little as DuckDB's plan allows. */

import { InvalidDataError, InvalidInputError } from "../model/errors.js";
import { type CachedTableLocation, type DuckDBEngine, quoteSqlName } from "../sinks/duckdb/engine.js";
import {
  type Condition,
  findConditionPositions,
  findExcludingColumn,
  formatCondition,
  isOnPositions,
  listConditionTerms,
  parseConditions,
} from "./conditions.js";
import type { NamedTable } from "./named-tables.js";
import { parseSqlNames } from "./names.js";
import { countLimits, hasAllScans, listOperators, listScans, type PlanNode } from "./plan.js";
import {
  type AxisRanges,
  countRangePositions,
  intersectAxisRanges,
  intersectConditions,
  toAxisRanges,
  uniteConditions,
} from "./positions.js";
import {
  filterOnPositions,
  findStubTable,
  getPositionMarker,
  hasMarkers,
  listSqlColumns,
  planOverStandIns,
} from "./stub-tables.js";
import { type ComparedSubquery, findComparedSubqueries, markSubqueries } from "./subqueries.js";
import { fold, keyword, parseSqlTokens, symbol } from "./tokens.js";

/** The part of a table that a statement needs. */
export interface TableRead {
  readonly named: NamedTable;
  /** Positions along the axes of a matrix, or along the row axis of any other table; null for all positions. */
  readonly row: AxisRanges | null;
  readonly col: AxisRanges | null;
  /** Number of rows after which reading stops; null to read all rows. */
  readonly limit: number | null;
  /** Reasons why the table is read completely, or only in part. */
  readonly reasons: readonly string[];
  /** Location of DuckDB's cached copy of the whole table; null if it is not cached. */
  readonly kept: CachedTableLocation | null;
}

const EVERYTHING = { row: null, col: null, limit: null, kept: null };

/** A table or subquery that restricts another table, because a position column must equal one of its positions. */
interface Partner {
  readonly marker: number;
  readonly reason: string;
  /**
   * Queries DuckDB for the positions; null for all positions. The tables that this query names must already be loaded.
   */
  readonly positions: () => Promise<AxisRanges | null>;
}

export interface ReadsOptions {
  readonly signal: AbortSignal | undefined;
  /** Names of tables that are read completely. */
  readonly wholeTables: "all" | readonly string[];
}

/**
 * The reads that a statement needs. Dataframes come first, because DuckDB queries them to find the positions in the
 * matrices.
 */
export interface StatementReads {
  /** Tables that are not matrices. */
  readonly frames: readonly TableRead[];
  /** Plans the reads of matrices, once the dataframes are loaded. */
  readonly matrices: () => Promise<readonly TableRead[]>;
}

/**
 * Plans the reads that a statement needs, in an engine without tables. A table is read completely if its use is not
 * understood.
 * @throws the abort reason of `signal`.
 */
export async function planStatementReads(
  engine: DuckDBEngine,
  sql: string,
  tables: readonly NamedTable[],
  { signal, wholeTables }: ReadsOptions,
): Promise<StatementReads> {
  const isFrame = ({ entries }: NamedTable) => entries === null;
  const whole = (reason: string): StatementReads => {
    const reads = tables.map((named) => ({ named, ...EVERYTHING, reasons: [reason] }));
    return {
      frames: reads.filter(({ named }) => isFrame(named)),
      matrices: async () => reads.filter(({ named }) => !isFrame(named)),
    };
  };
  const problem = wholeTables === "all" ? "all tables are asked for as a whole" : unplannable(sql, tables);
  if (problem !== null) return whole(problem);
  const matrices = tables.filter((named) => !isFrame(named)).map(({ table }) => table.name);
  const asked = findComparedSubqueries(sql, (text) => {
    const names = parseSqlNames(text);
    return !matrices.some((name) => names.hasTable(name));
  });
  let planned: PlannedStatement;
  try {
    planned = await planStatement({ engine, sql, tables, signal }, asked);
  } catch (error) {
    // An unknown name is an error regardless of the rows, so nothing needs to be read.
    if (!isNoPlan(error) || namesUnknown(error)) throw error;
    return whole(`DuckDB makes no plan of the statement (${error.problem})`);
  }
  const { scans, showsAll, limits, subqueries, markers } = planned;
  if (!showsAll) return whole("the plan of the statement has unknown steps");
  const mostRows = findRowLimit(sql, limits);
  const partners = [
    ...tables.flatMap((named, index) => joined(named, markers[index], scans(named), { engine, signal, markers })),
    ...subqueries.map((subquery, index) => compared(subquery, markers[tables.length + index], { engine, signal })),
  ];
  const read = (named: NamedTable, from: readonly Partner[]) =>
    wholeTables.includes(named.table.name)
      ? { named, ...EVERYTHING, reasons: ["it is asked for as a whole"] }
      : readOf(named, planned, mostRows, from);
  return {
    // The positions in joined tables are unknown until the dataframes are loaded.
    frames: await Promise.all(tables.filter(isFrame).map((named) => read(named, []))),
    matrices: async () => {
      const reads: TableRead[] = [];
      for (const named of tables) if (!isFrame(named)) reads.push(await read(named, partners));
      return reads;
    },
  };
}

const namesUnknown = (error: unknown) =>
  error instanceof InvalidInputError &&
  /Referenced (column|table) ".*" not found|does not have a column named|(Table|Function) with name .* does not exist/.test(
    error.problem,
  );

/** Returns the reason why a statement cannot be planned; null if it can. */
function unplannable(sql: string, tables: readonly NamedTable[]): string | null {
  if (tables.length === 0) return "the statement names no table";
  if (hasSeveralStatements(sql)) return "several statements are not planned";
  if (parseSqlNames(sql).hasWord("rowid")) return "the statement names rowid, which counts the rows that are read";
  if (hasMarkers(sql)) return "the statement has a number that plans use";
  return null;
}

interface Asking {
  readonly engine: DuckDBEngine;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns the positions in a table that satisfy the table's own conditions, so that they can restrict other tables.
 */
function joined(
  named: NamedTable,
  marker: number,
  scans: readonly ConditionedScan[],
  { markers, ...asking }: Asking & { readonly markers: readonly number[] },
): readonly Partner[] {
  const { table, position } = named;
  if (position === null) return [];
  const columns = listSqlColumns(named);
  const own = scans.map(({ conditions }) =>
    conditions
      .filter((condition) => !isMarker(condition, markers))
      .map((condition) => formatCondition(condition, columns)),
  );
  const reason = `joined with ${table.name}`;
  if (own.length === 0 || own.some((conditions) => conditions.length === 0)) {
    return [{ marker, reason, positions: async () => null }];
  }
  const conditions = own.map((texts) => `(${texts.join(" and ")})`).join(" or ");
  const sql = `select distinct ${quoteSqlName(position)} from ${quoteSqlName(table.name)} where ${conditions}`;
  return [{ marker, reason: `${reason} where ${conditions}`, positions: () => askedPositions(sql, asking) }];
}

function compared({ text, column }: ComparedSubquery, marker: number, asking: Asking): Partner {
  return {
    marker,
    reason: `${column} among (${text})`,
    positions: () => askedPositions(`select * from (${text}\n)`, asking),
  };
}

/**
 * Returns the positions in the first column of a query; null if DuckDB rejects the query or a value is not a number.
 */
async function askedPositions(sql: string, { engine, signal }: Asking): Promise<AxisRanges | null> {
  try {
    const answer = await engine.query(sql, signal);
    const positions: number[] = [];
    for await (const batch of answer.batches()) {
      for (const value of batch.getChildAt(0) ?? []) {
        if (typeof value !== "number" && typeof value !== "bigint" && value !== null) return null;
        // Null equals no position.
        if (value !== null) positions.push(Number(value));
      }
    }
    return toAxisRanges(positions.filter((position) => Number.isSafeInteger(position) && position >= 0));
  } catch (error) {
    if (error instanceof InvalidInputError) return null;
    throw error;
  }
}

async function readOf(
  named: NamedTable,
  { scans: scansOf, filteredScans }: PlannedStatement,
  mostRows: number | null,
  partners: readonly Partner[],
): Promise<TableRead> {
  const scans = scansOf(named);
  if (scans.length === 0) return { named, ...EVERYTHING, limit: 0, reasons: ["no row of it is needed"] };
  const reasons = new Set<string>();
  const positions = { row: null as AxisRanges | null, col: null as AxisRanges | null };
  for (const axis of ["row", "col"] as const) {
    // Each plan gives sufficient positions. If they differ, the plans used different conditions, and both conditions
    // apply.
    const first = await alongAll(axis, named, scans, partners, reasons);
    const second = await alongAll(axis, named, filteredScans(named), partners, reasons);
    positions[axis] = intersectConditions(first, second);
  }
  const limit = mostRows !== null && isReadExactly(named, scans, positions) ? mostRows : null;
  if (limit !== null) reasons.add(`the first ${limit} rows`);
  if (positions.row === null && positions.col === null && limit === null) {
    return { named, ...EVERYTHING, reasons: ["no condition limits its positions"] };
  }
  return { named, ...positions, limit, reasons: [...reasons], kept: null };
}

/**
 * Whether the rows that are read begin with those that limits select. This requires that the scans filter out none of
 * the rows that are read.
 */
function isReadExactly(
  named: NamedTable,
  scans: readonly ConditionedScan[],
  positions: { readonly row: AxisRanges | null; readonly col: AxisRanges | null },
): boolean {
  if (!scans.every(({ isLimited, isExact }) => isLimited && isExact)) return false;
  if (scans.every(({ conditions }) => conditions.length === 0)) return true;
  const [{ conditions }, ...others] = scans;
  const columns = (["row", "col"] as const).filter((axis) => findAxisSize(named, axis) !== null);
  const places = columns.map((axis) => named.columns.indexOf(axis)).filter((place) => place !== -1);
  // The rows of a table that is not a matrix are read as one range.
  const isRange = named.entries !== null || [positions.row, positions.col].every((one) => (one?.length ?? 1) <= 1);
  const areOnPositions = conditions.every((condition) => places.some((place) => isOnPositions(condition, place)));
  return others.length === 0 && isRange && areOnPositions;
}

/** Returns the number of positions along an axis; null if positions cannot be selected along the axis. */
export function findAxisSize({ table, entries, position }: NamedTable, axis: "row" | "col"): number | null {
  return entries?.[axis] ?? (position === axis ? table.rows : null);
}

/** Returns the positions along an axis that several scans need in total; null for all positions. */
async function alongAll(
  axis: "row" | "col",
  named: NamedTable,
  scans: readonly ConditionedScan[],
  partners: readonly Partner[],
  reasons: Set<string>,
): Promise<AxisRanges | null> {
  let found: AxisRanges | null = [];
  for (const scan of scans) {
    found = uniteConditions(found, await along(axis, named, scan, partners, reasons));
  }
  return scans.length === 0 ? null : found;
}

/** Returns the positions along an axis that one scan needs; null for all positions. */
async function along(
  axis: "row" | "col",
  named: NamedTable,
  { conditions }: ConditionedScan,
  partners: readonly Partner[],
  reasons: Set<string>,
): Promise<AxisRanges | null> {
  const column = named.columns.indexOf(axis);
  const size = findAxisSize(named, axis);
  if (column === -1 || size === null) return null;
  let found: AxisRanges | null = null;
  const limited = (positions: AxisRanges | null, reason: string) => {
    if (positions === null || countRangePositions(positions) >= size) return;
    found = intersectConditions(found, positions);
    reasons.add(reason);
  };
  for (const condition of conditions) {
    const met = partners.filter(({ marker }) => isMarkedBy(condition, column, marker));
    const markers = new Map<number, AxisRanges | null>();
    for (const { marker, positions } of met) markers.set(marker, inAxis(await positions(), size));
    const reason = [
      ...(condition.kind === "or" || met.length === 0 ? [`conditions on ${axis}`] : []),
      ...met.map((one) => one.reason),
    ];
    limited(findConditionPositions(condition, column, size, markers), reason.join(" or "));
  }
  return found;
}

/** Whether a condition, or one of its terms, excludes the marker of a column. */
function isMarkedBy(condition: Condition, column: number, marker: number): boolean {
  if (condition.kind === "and" || condition.kind === "or") {
    return condition.terms.some((term) => isMarkedBy(term, column, marker));
  }
  return findExcludingColumn(condition, marker) === column;
}

function inAxis(positions: AxisRanges | null, size: number): AxisRanges | null {
  return positions === null ? null : intersectAxisRanges(positions, [[0, size]]);
}

// Finds the limits in a statement, which DuckDB's plan does not contain.

const AFTER = new Set(["offset", "limit", "union", "except", "intersect", "using"]);

/**
 * Returns a number of rows that is at least as large as each limit in the statement plus its offset; null if a limit is
 * not a literal number.
 * @param limits the number of limits in DuckDB's plan.
 */
function findRowLimit(sql: string, limits: number): number | null {
  const tokens = parseSqlTokens(sql);
  let [most, found] = [0, 0];
  for (const [at, token] of tokens.entries()) {
    const word = fold(token.text);
    if (keyword(token) !== "limit" && keyword(token) !== "offset") continue;
    const [value, next] = [tokens[at + 1], tokens[at + 2]];
    if (value?.kind !== "literal" || !/^\d{1,9}$/.test(value.text)) return null;
    const ends = next === undefined || symbol(next) === ")" || symbol(next) === ";" || AFTER.has(keyword(next) || "-");
    if (!ends) return null;
    most += Number(value.text);
    if (word === "limit") found++;
  }
  return found < limits || found === 0 ? null : most;
}

function hasSeveralStatements(sql: string): boolean {
  const tokens = parseSqlTokens(sql);
  const end = tokens.findIndex((token) => symbol(token) === ";");
  return end !== -1 && tokens.slice(end).some((token) => symbol(token) !== ";");
}

// The scans of each table in DuckDB's plan for a statement.

interface ConditionedScan {
  readonly conditions: readonly Condition[];
  /** Whether the conditions determine the rows of the scan exactly. */
  readonly isExact: boolean;
  /** Whether only projections are between the scan and a limit above it. */
  readonly isLimited: boolean;
}

interface PlannedStatement {
  /** Returns the scans of a table; empty if none of its rows is needed. */
  readonly scans: (named: NamedTable) => readonly ConditionedScan[];
  /**
   * Returns the scans of a matrix in a second plan, which also contains the filters above scans; empty if there is no
   * such plan.
   */
  readonly filteredScans: (named: NamedTable) => readonly ConditionedScan[];
  /** Whether all rows of the statement come from scans. */
  readonly showsAll: boolean;
  readonly limits: number;
  /** The subqueries whose markers are in the plan. */
  readonly subqueries: readonly ComparedSubquery[];
  /** The markers of the tables, followed by those of the subqueries. */
  readonly markers: readonly number[];
}

interface Planning {
  readonly engine: DuckDBEngine;
  readonly sql: string;
  readonly tables: readonly NamedTable[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Plans a statement with markers for its subqueries, or without these markers if DuckDB rejects them.
 * @throws {InvalidInputError} with DuckDB's message.
 */
async function planStatement(planning: Planning, subqueries: readonly ComparedSubquery[]): Promise<PlannedStatement> {
  const { engine, sql, tables, signal } = planning;
  const markers = [...tables, ...subqueries].map((_, index) => getPositionMarker(index));
  const marked = markSubqueries(sql, subqueries, (index) => markers[tables.length + index]);
  try {
    const plan = await planOverStandIns(engine, marked, tables, "columns", signal);
    const scans = scansByTable(plan, tables, markers);
    const filtered = hasChoices(plan)
      ? scansByTable(await planOverStandIns(engine, marked, tables, "expressions", signal), tables, markers, true)
      : new Map<NamedTable, readonly ConditionedScan[]>();
    return {
      scans: (named) => scans.get(named) ?? [],
      filteredScans: (named) => filtered.get(named) ?? [],
      showsAll: hasAllScans(plan),
      limits: countLimits(plan),
      ...{ subqueries, markers },
    };
  } catch (error) {
    if (subqueries.length === 0 || !isNoPlan(error)) throw error;
    return planStatement(planning, []);
  }
}

/** Whether DuckDB rejects a statement, or its plan cannot be interpreted. */
function isNoPlan(error: unknown): error is InvalidInputError | InvalidDataError {
  return error instanceof InvalidInputError || error instanceof InvalidDataError;
}

/** Whether a plan has a filter with OR. DuckDB does not push such filters down to scans. */
function hasChoices(plan: readonly PlanNode[]): boolean {
  return [...listOperators(plan)].some(
    ({ operator, details }) => operator === "FILTER" && details.get("Expression")?.some((text) => / OR /.test(text)),
  );
}

/**
 * @param byExpressions true if the positions in matrices are expressions in the plan. In this case, only the filters on
 * these expressions are evaluated.
 */
function scansByTable(
  plan: readonly PlanNode[],
  tables: readonly NamedTable[],
  markers: readonly number[],
  byExpressions = false,
): ReadonlyMap<NamedTable, readonly ConditionedScan[]> {
  const scans = new Map<NamedTable, ConditionedScan[]>();
  for (const { table, filters, filtersAbove, isLimited } of listScans(plan)) {
    const named = findStubTable(table, tables);
    if (named === undefined || (byExpressions && named.entries === null)) continue;
    const { known, isExact } = parseConditions(
      byExpressions ? [...filters, ...filtersAbove].map(filterOnPositions) : filters,
    );
    const own = getPositionMarker(tables.indexOf(named));
    const conditions = known
      .flatMap(listConditionTerms)
      .filter((condition) => findExcludingColumn(condition, own) === null);
    // A limit applies to all rows, not only to those that remain after a join.
    const isMarked = conditions.some((condition) => isMarker(condition, markers));
    const scan = { conditions, isExact, isLimited: isLimited && !isMarked };
    scans.set(named, [...(scans.get(named) ?? []), scan]);
  }
  return scans;
}

function isMarker(condition: Condition, markers: readonly number[]): boolean {
  return markers.some((marker) => findExcludingColumn(condition, marker) !== null);
}
