/** Strict parser for requests: the JSON of a command, or the parameters of a URL. */

import type { Layout } from "annarrow";
import { isJsonObject, readJson } from "annarrow/core/model";
import { RequestError } from "./failure.js";
import { isWellFormed } from "./names.js";

export interface TableRequest {
  readonly kind: "table";
  /** Path of the dataset, and of the table unless `table` names it. */
  readonly path: readonly string[];
  readonly table?: string;
  readonly columns?: readonly string[];
  readonly rows?: readonly [start: number, end: number];
  readonly layout?: Layout;
}

/** A statement about datasets, about an uploaded table, or about both. */
export interface SqlRequest {
  readonly kind: "sql";
  /** Path of the dataset for unqualified table names; empty for no dataset. The statement names all other datasets. */
  readonly path: readonly string[];
  readonly sql: string;
  /** Name of the uploaded table in the statement. */
  readonly upload?: string;
  /** Rows of values for the statement's parameters, as an Arrow IPC stream in base64. */
  readonly parameters?: string;
}

export type DataRequest = TableRequest | SqlRequest;

const MAX_BYTES = 2 ** 20;
const MAX_COLUMNS = 100_000;
const LAYOUTS = ["coordinate", "list", "dense", "columns"] as const satisfies readonly Layout[];

/**
 * A command: `{"dataset": "pbmc.h5ad", "table": "X", "columns": […], "rows": [0, 1000], "layout": "list"}` or
 * `{"dataset": "pbmc.h5ad", "sql": "select …"}`. Without `dataset`, `table` contains the whole path, and a statement
 * names its datasets.
 * @throws {RequestError} for any other command, with the reason.
 */
export function parseCommand(bytes: Uint8Array): DataRequest {
  return parseCommandRequest(parseObject(bytes, "the command"));
}

/** @throws {RequestError} unless `bytes` are one JSON object in UTF-8. */
export function parseObject(bytes: Uint8Array, what: string): Readonly<Record<string, unknown>> {
  if (bytes.length > MAX_BYTES)
    throw new RequestError("too-large", `${what} has ${bytes.length} bytes, at most ${MAX_BYTES}`);
  let value: unknown;
  try {
    value = readJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new RequestError("invalid", `${what} is no JSON in UTF-8`, { cause });
  }
  if (!isJsonObject(value)) throw new RequestError("invalid", `${what} is no JSON object`);
  return value;
}

/** Reads a message from a client. Invalid bytes are reported as the client's error. */
export function parseClientMessage<T>(bytes: Uint8Array, read: (bytes: Uint8Array) => T): T {
  try {
    return read(bytes);
  } catch (cause) {
    throw new RequestError("invalid", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

export function parseCommandRequest(command: Readonly<Record<string, unknown>>): DataRequest {
  const { dataset, table, columns, rows, layout, sql, upload, ...others } = command;
  refuseOthers(others, "the command", ["dataset", "table", "columns", "rows", "layout", "sql", "upload"]);
  if (sql !== undefined) {
    refuseBesideSql({ table, columns, rows, layout });
    const path = dataset === undefined ? [] : [text(dataset, "dataset")];
    return {
      kind: "sql",
      path,
      sql: text(sql, "sql"),
      upload: upload === undefined ? undefined : text(upload, "upload"),
    };
  }
  if (upload !== undefined)
    throw new RequestError("invalid", "upload is the name of a table for sql, and there is none");
  const path = dataset === undefined ? [text(table, "table")] : [text(dataset, "dataset")];
  return {
    kind: "table",
    path,
    table: dataset === undefined ? undefined : text(table, "table"),
    columns: columns === undefined ? undefined : columnsOf(columns),
    rows: rows === undefined ? undefined : rowsOf(rows),
    layout: layout === undefined ? undefined : layoutOf(layout),
  };
}

/** @throws {RequestError} for any parameter in a request that takes none. */
export function refuseQuery(query: URLSearchParams, what: string): void {
  const [key] = query.keys();
  if (key !== undefined)
    throw new RequestError("invalid", `${JSON.stringify(key)} is asked of a table; ${what} is none`);
}

/**
 * Parses the query of a URL: `columns=a,b` (or a repeated `column=a`, for names with commas), `rows=0-1000` (end
 * exclusive), `layout=list`, `sql=…`, `format=…`.
 */
export function parseQuery(path: readonly string[], query: URLSearchParams): DataRequest {
  const known = ["columns", "column", "rows", "layout", "sql", "format"];
  for (const key of query.keys()) {
    if (!known.includes(key))
      throw new RequestError("invalid", `no parameter ${JSON.stringify(key)}; there are ${known.join(", ")}`);
  }
  const one = (key: string): string | undefined => {
    const all = query.getAll(key);
    if (all.length > 1) throw new RequestError("invalid", `${key} is given ${all.length} times`);
    return all[0];
  };
  one("format");
  const sql = one("sql");
  const list = one("columns");
  const columns = [...(list === undefined ? [] : list.split(",")), ...query.getAll("column")];
  const rows = one("rows");
  const layout = one("layout");
  if (sql !== undefined) {
    refuseBesideSql({ columns: columns.length === 0 ? undefined : columns, rows, layout });
    return { kind: "sql", path, sql: text(sql, "sql") };
  }
  return {
    kind: "table",
    path,
    columns: columns.length === 0 ? undefined : columnsOf(columns),
    rows: rows === undefined ? undefined : rangeOf(rows),
    layout: layout === undefined ? undefined : layoutOf(layout),
  };
}

/** Refuses other keys in addition to a statement, because a statement itself names its tables, columns and rows. */
function refuseBesideSql(others: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(others)) {
    if (value !== undefined) throw new RequestError("invalid", `either sql or ${key}, not both: the statement says it`);
  }
}

function rangeOf(text: string): readonly [number, number] {
  const found = /^(\d{1,16})-(\d{1,16})$/.exec(text);
  if (found === null)
    throw new RequestError("invalid", `rows is ${JSON.stringify(text)}; it must be two numbers, as 0-1000`);
  return rowsOf([Number(found[1]), Number(found[2])]);
}

function rowsOf(rows: unknown): readonly [number, number] {
  if (!Array.isArray(rows) || rows.length !== 2) throw new RequestError("invalid", "rows must be [start, end]");
  const [start, end]: unknown[] = rows;
  if (!isPosition(start) || !isPosition(end))
    throw new RequestError("invalid", "rows must be two whole numbers from 0 on");
  if (start > end) throw new RequestError("invalid", `rows end at ${end}, before they start at ${start}`);
  return [start, end];
}

function isPosition(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function columnsOf(columns: unknown): readonly string[] {
  if (!Array.isArray(columns)) throw new RequestError("invalid", "columns must be a list of names");
  if (columns.length > MAX_COLUMNS)
    throw new RequestError("invalid", `${columns.length} columns, at most ${MAX_COLUMNS}`);
  if (columns.length === 0) throw new RequestError("invalid", "columns is empty; leave it out for all of them");
  return columns.map((name) => text(name, "a name in columns", true));
}

function layoutOf(layout: unknown): Layout {
  const found = LAYOUTS.find((known) => known === layout);
  if (found === undefined) throw new RequestError("invalid", `layout must be one of ${LAYOUTS.join(", ")}`);
  return found;
}

function text(value: unknown, what: string, empty = false): string {
  if (typeof value !== "string") throw new RequestError("invalid", `${what} must be text`);
  if (value === "" && !empty) throw new RequestError("invalid", `${what} is empty`);
  if (!isWellFormed(value)) throw new RequestError("invalid", `${what} is no well-formed text`);
  return value;
}

/** @throws {RequestError} if `others`, the unknown keys of `what`, is not empty. */
export function refuseOthers(others: object, what: string, known: readonly string[]): void {
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new RequestError(
      "invalid",
      `${what} has ${JSON.stringify(other.slice(0, 100))}; it may have ${known.join(", ") || "none"}`,
    );
  }
}
