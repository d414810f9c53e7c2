/** Chooses what is read of each table that a statement names: as little as DuckDB's plan of the statement allows. */

import { InvalidDataError, InvalidInputError } from "../model/errors.js";
import { type DuckDBEngine, quotedName } from "../sinks/duckdb/engine.js";
import {
  type Condition,
  columnWithout,
  conditionsOf,
  conditionText,
  isOnPositions,
  positionsWhere,
} from "./conditions.js";
import { hasSeveralStatements, mostRowsOf } from "./limits.js";
import type { NamedTable } from "./named-tables.js";
import { sqlNames } from "./names.js";
import { limitsOf, type PlanNode, scansOf, showsAllScans } from "./plan.js";
import { type AxisRanges, countOf, intersection, positionsOf, union } from "./positions.js";
import { columnsInSql, hasMarkers, markerOf, planOverStandIns, tableOfStandIn } from "./stand-ins.js";
import { type ComparedSubquery, comparedSubqueries, markedStatement } from "./subqueries.js";

/** What a statement needs of one table. */
export interface TableRead {
  readonly named: NamedTable;
  /** AxisRanges along the axes of a matrix, or along the axis of the rows of another table; null for all. */
  readonly row: AxisRanges | null;
  readonly col: AxisRanges | null;
  /** The number of rows after which nothing more is needed; null for all. */
  readonly limit: number | null;
  /** Why no more is read, or why everything is. */
  readonly reasons: readonly string[];
}

const EVERYTHING = { row: null, col: null, limit: null };

/** A scan of one of the tables, with the conditions that hold for its rows. */
interface Scan {
  readonly conditions: readonly Condition[];
  readonly isExact: boolean;
  readonly isLimited: boolean;
}

/** AxisRanges that some values must have, because a column of positions equals them. */
interface Partner {
  readonly marker: number;
  readonly reason: string;
  /** Asks DuckDB for the positions; null for all. Tables that it names must be loaded. */
  readonly positions: () => Promise<AxisRanges | null>;
}

export interface ReadsOptions {
  readonly signal: AbortSignal | undefined;
  /** Names of tables that are read whole. */
  readonly wholeTables: "all" | readonly string[];
}

/** The reads of a statement. The reads of frames are known first, because DuckDB asks them for the positions of others. */
export interface StatementReads {
  /** Tables that are no matrices. */
  readonly frames: readonly TableRead[];
  /** The reads of matrices, once the frames are loaded. */
  readonly matrices: () => Promise<readonly TableRead[]>;
}

/**
 * Plans the reads of a statement in an engine without tables. Whatever is not understood is read whole.
 * @throws the reason of `signal`.
 */
export async function readsOf(
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
  const subqueries = comparedSubqueries(sql).filter(({ text }) => {
    const names = sqlNames(text);
    return !matrices.some((name) => names.hasTable(name));
  });
  const subqueryMarker = (index: number) => markerOf(tables.length + index);
  let plan: readonly PlanNode[];
  try {
    plan = await planOverStandIns(engine, markedStatement(sql, subqueries, subqueryMarker), tables, signal);
  } catch (error) {
    if (!(error instanceof InvalidInputError || error instanceof InvalidDataError)) throw error;
    if (namesUnknown(error)) await refuseUnknownNames(engine, sql, tables, signal);
    return whole(`DuckDB makes no plan of the statement (${error.problem})`);
  }
  if (!showsAllScans(plan)) return whole("the plan of the statement has unknown steps");
  const markers = [...tables.keys(), ...subqueries.keys()].map((_, index) => markerOf(index));
  const scans = scansByTable(plan, tables, markers);
  const mostRows = mostRowsOf(sql, limitsOf(plan));
  const partners = [
    ...tables.flatMap((named, index) =>
      joined(named, markerOf(index), scans.get(named) ?? [], { engine, signal, markers }),
    ),
    ...subqueries.map((subquery, index) => compared(subquery, subqueryMarker(index), { engine, signal })),
  ];
  const read = (named: NamedTable, from: readonly Partner[]) =>
    wholeTables.includes(named.table.name)
      ? { named, ...EVERYTHING, reasons: ["it is asked for as a whole"] }
      : readOf(named, scans.get(named) ?? [], mostRows, from);
  return {
    // AxisRanges of partners are not known before the frames are loaded.
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

/**
 * Plans the statement as it was given, without markers: one that names what there is not fails over any rows, so that none
 * need to be read.
 * @throws {InvalidInputError} with DuckDB's message.
 */
async function refuseUnknownNames(
  engine: DuckDBEngine,
  sql: string,
  tables: readonly NamedTable[],
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await planOverStandIns(engine, sql, tables, signal);
  } catch (error) {
    if (namesUnknown(error)) throw error;
  }
}

/** The reason why a statement is not planned; null where it can be. */
function unplannable(sql: string, tables: readonly NamedTable[]): string | null {
  if (tables.length === 0) return "the statement names no table";
  if (hasSeveralStatements(sql)) return "several statements are not planned";
  if (sqlNames(sql).hasWord("rowid")) return "the statement names rowid, which counts the rows that are read";
  if (hasMarkers(sql)) return "the statement has a number that plans use";
  const same = tables.find(({ columns }) => columns === null);
  return same === undefined ? null : `columns of ${same.table.name} share a name`;
}

function scansByTable(
  plan: readonly PlanNode[],
  tables: readonly NamedTable[],
  markers: readonly number[],
): ReadonlyMap<NamedTable, readonly Scan[]> {
  const scans = new Map<NamedTable, Scan[]>();
  for (const { table, filters, isLimited } of scansOf(plan)) {
    const named = tableOfStandIn(table, tables);
    if (named === undefined) continue;
    const { known, isExact } = conditionsOf(filters);
    const own = markerOf(tables.indexOf(named));
    const conditions = known.filter((condition) => columnWithout(condition, own) === null);
    // Rows before a limit are the first ones of all rows, not of those that a join leaves.
    const isMarked = conditions.some((condition) => isMarker(condition, markers));
    const scan = { conditions, isExact, isLimited: isLimited && !isMarked };
    scans.set(named, [...(scans.get(named) ?? []), scan]);
  }
  return scans;
}

function isMarker(condition: Condition, markers: readonly number[]): boolean {
  return markers.some((marker) => columnWithout(condition, marker) !== null);
}

interface Asking {
  readonly engine: DuckDBEngine;
  readonly signal: AbortSignal | undefined;
}

/** The positions of a table that its own conditions leave. */
function joined(
  named: NamedTable,
  marker: number,
  scans: readonly Scan[],
  { markers, ...asking }: Asking & { readonly markers: readonly number[] },
): readonly Partner[] {
  const { table, position } = named;
  if (position === null) return [];
  const columns = columnsInSql(named);
  const own = scans.map(({ conditions }) =>
    conditions
      .filter((condition) => !isMarker(condition, markers))
      .map((condition) => conditionText(condition, columns)),
  );
  const reason = `joined with ${table.name}`;
  if (own.length === 0 || own.some((conditions) => conditions.length === 0)) {
    return [{ marker, reason, positions: async () => null }];
  }
  const conditions = own.map((texts) => `(${texts.join(" and ")})`).join(" or ");
  const sql = `select distinct ${quotedName(position)} from ${quotedName(table.name)} where ${conditions}`;
  return [{ marker, reason: `${reason} where ${conditions}`, positions: () => askedPositions(sql, asking) }];
}

function compared({ text, column }: ComparedSubquery, marker: number, asking: Asking): Partner {
  return {
    marker,
    reason: `${column} among (${text})`,
    positions: () => askedPositions(`select * from (${text}\n)`, asking),
  };
}

/** The positions in the first column of an answer; null where DuckDB does not answer, or not with numbers. */
async function askedPositions(sql: string, { engine, signal }: Asking): Promise<AxisRanges | null> {
  try {
    const answer = await engine.query(sql, signal);
    const positions: number[] = [];
    for await (const batch of answer.batches()) {
      for (const value of batch.getChildAt(0) ?? []) {
        if (typeof value !== "number" && typeof value !== "bigint" && value !== null) return null;
        // A null equals no position.
        if (value !== null) positions.push(Number(value));
      }
    }
    return positionsOf(positions.filter((position) => Number.isSafeInteger(position) && position >= 0));
  } catch (error) {
    if (error instanceof InvalidInputError) return null;
    throw error;
  }
}

/** What all scans of a table need together. */
async function readOf(
  named: NamedTable,
  scans: readonly Scan[],
  mostRows: number | null,
  partners: readonly Partner[],
): Promise<TableRead> {
  if (scans.length === 0) return { named, row: null, col: null, limit: 0, reasons: ["no row of it is needed"] };
  const reasons = new Set<string>();
  const positions = { row: null as AxisRanges | null, col: null as AxisRanges | null };
  for (const axis of ["row", "col"] as const) {
    const needed: (AxisRanges | null)[] = [];
    for (const scan of scans) needed.push(await along(axis, named, scan, partners, reasons));
    positions[axis] = needed.reduce((all, one) => (all === null || one === null ? null : union(all, one)));
  }
  const limit = mostRows !== null && isReadExactly(named, scans, positions) ? mostRows : null;
  if (limit !== null) reasons.add(`the first ${limit} rows`);
  if (positions.row === null && positions.col === null && limit === null) {
    return { named, ...positions, limit, reasons: ["no condition limits its positions"] };
  }
  return { named, ...positions, limit, reasons: [...reasons] };
}

/** Whether the rows that are read begin with the rows that limits take, because scans leave out none of them. */
function isReadExactly(
  named: NamedTable,
  scans: readonly Scan[],
  positions: { readonly row: AxisRanges | null; readonly col: AxisRanges | null },
): boolean {
  if (!scans.every(({ isLimited, isExact }) => isLimited && isExact)) return false;
  if (scans.every(({ conditions }) => conditions.length === 0)) return true;
  const [{ conditions }, ...others] = scans;
  const columns = (["row", "col"] as const).filter((axis) => sizeOf(named, axis) !== null);
  const places = columns.map((axis) => (named.columns ?? []).indexOf(axis)).filter((place) => place !== -1);
  // The rows of a table that is no matrix are read as one range.
  const isRange = named.entries !== null || [positions.row, positions.col].every((one) => (one?.length ?? 1) <= 1);
  const areOnPositions = conditions.every((condition) => places.some((place) => isOnPositions(condition, place)));
  return others.length === 0 && isRange && areOnPositions;
}

/** The number of positions along an axis, if positions along it can be chosen. */
export function sizeOf({ table, entries, position }: NamedTable, axis: "row" | "col"): number | null {
  return entries?.[axis] ?? (position === axis ? table.rows : null);
}

/** The positions along an axis that one scan needs; null for all. */
async function along(
  axis: "row" | "col",
  named: NamedTable,
  { conditions }: Scan,
  partners: readonly Partner[],
  reasons: Set<string>,
): Promise<AxisRanges | null> {
  const column = (named.columns ?? []).indexOf(axis);
  const size = sizeOf(named, axis);
  if (column === -1 || size === null) return null;
  let found: AxisRanges | null = null;
  const limited = (positions: AxisRanges | null, reason: string) => {
    if (positions === null || countOf(positions) >= size) return;
    found = found === null ? positions : intersection(found, positions);
    reasons.add(reason);
  };
  for (const condition of conditions) {
    const partner = partners.find(({ marker }) => columnWithout(condition, marker) === column);
    if (partner === undefined) limited(positionsWhere(condition, column, size), `conditions on ${axis}`);
    else limited(inAxis(await partner.positions(), size), partner.reason);
  }
  return found;
}

function inAxis(positions: AxisRanges | null, size: number): AxisRanges | null {
  return positions === null ? null : intersection(positions, [[0, size]]);
}
