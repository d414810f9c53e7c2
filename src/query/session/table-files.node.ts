/** Opens data files on this machine. */

import { readFile, stat } from "node:fs/promises";
import { Bool, Float64, Int64, Table, Utf8, type Vector, vectorFromArray } from "apache-arrow";
import { open } from "../../api/open.node.js";
import { InvalidDataError, InvalidInputError, NotFoundError } from "../../model/errors.js";
import { readJson } from "../../model/json-object.js";
import { findSystemReason } from "../../model/system-error.node.js";
import { renameTable } from "../../tables/batch-table.js";
import { createMemoryTable } from "../../tables/table-in-memory.js";
import type { TableFile } from "./table-file.js";

/** Maximum size in bytes of a JSON file, which is held in memory. */
const MAX_JSON = 2 ** 28;

/** @throws {NotFoundError} if the file does not exist; {InvalidInputError} if its extension is not supported. */
export async function openTableFile(path: string, signal: AbortSignal | undefined): Promise<TableFile> {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1].toLowerCase() ?? "";
  const found = await stat(path).catch((cause: unknown) => {
    throw new NotFoundError(`cannot be read: ${findSystemReason(cause) ?? cause}`, { source: path, cause });
  });
  switch (extension) {
    case "csv":
    case "txt":
      return { kind: "csv", delimiter: null };
    case "tsv":
      return { kind: "csv", delimiter: "\t" };
    case "json":
    case "ndjson":
    case "jsonl": {
      if (found.size > MAX_JSON)
        throw new InvalidInputError("is too large for JSON; write it as Parquet", { source: path });
      const rows = jsonRows(await readFile(path, "utf8"), path, extension !== "json");
      return { kind: "table", table: createMemoryTable(columnsOf(rows, path), path), close: async () => undefined };
    }
    case "parquet":
    case "arrow":
    case "arrows":
    case "feather": {
      const dataset = await open(path, { signal });
      const [table] = dataset.tables.values();
      return { kind: "table", table: renameTable(table, path), close: () => dataset.close() };
    }
    default:
      throw new InvalidInputError("is no file of a table: .csv .tsv .json .ndjson .parquet .arrow", { source: path });
  }
}

type JsonRow = Readonly<Record<string, unknown>>;

function jsonRows(text: string, path: string, areLines: boolean): readonly JsonRow[] {
  const values = areLines
    ? text.split("\n").flatMap((line, i) => (line.trim() === "" ? [] : [parsed(line, path, ` in line ${i + 1}`)]))
    : [parsed(text, path, "")].flat();
  return values.map((value, i) => {
    if (isObject(value)) return value;
    throw new InvalidDataError(`row ${i} is no object of JSON`, { source: path });
  });
}

function parsed(text: string, path: string, where: string): unknown {
  try {
    return readJson(text);
  } catch (cause) {
    throw new InvalidDataError(`is no JSON${where}: ${cause instanceof Error ? cause.message : cause}`, {
      source: path,
      cause,
    });
  }
}

function isObject(value: unknown): value is JsonRow {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Makes columns from the keys of all objects, in the order in which the keys first occur. A missing key becomes null.
 */
function columnsOf(rows: readonly JsonRow[], path: string): Table {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) throw new InvalidDataError("has no rows with keys", { source: path });
  return new Table(
    Object.fromEntries(
      names.map((name) => [name, columnOf(rows.map((row) => (Object.hasOwn(row, name) ? row[name] : null)))]),
    ),
  );
}

/**
 * Makes a column of booleans, integers or numbers if all values have that type; otherwise a column of text. Lists and
 * objects become JSON text.
 */
function columnOf(values: readonly unknown[]): Vector {
  const some = values.filter((value) => value !== null);
  if (some.length > 0 && some.every((value) => typeof value === "boolean")) return vectorFromArray(values, new Bool());
  if (some.length > 0 && some.every((value) => typeof value === "number")) {
    return some.every(Number.isSafeInteger)
      ? vectorFromArray(
          values.map((value) => (value === null ? null : BigInt(Number(value)))),
          new Int64(),
        )
      : vectorFromArray(values, new Float64());
  }
  const texts = values.map((value) => (value === null || typeof value === "string" ? value : JSON.stringify(value)));
  return vectorFromArray(texts, new Utf8());
}
