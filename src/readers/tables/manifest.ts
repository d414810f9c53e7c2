/** Parses and checks `manifest.json` of a directory of tables (docs/mapping.md, section 1). */

import { listContainerKinds } from "../../containers/open/containers.js";
import type { DatasetContainer, Format } from "../../model/dataset.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { listFormats } from "../../model/formats/registry.js";
import { isJsonObject, readJson } from "../../model/json-object.js";

/** The version of docs/mapping.md. */
const MAPPING_VERSION = 1;

/** The values of `DatasetContainer` that are not container kinds. */
const OTHERS: readonly DatasetContainer[] = ["parquet", "arrow", "tsv", "flight"];

export interface ManifestPart {
  readonly file: string;
  readonly rows: number;
  /** Matrix rows that the file covers, [first, end), numbered as in the file; null if unknown. */
  readonly range: readonly [first: number, end: number] | null;
  /** Number to subtract from the positions in the column `row`. */
  readonly shift: number;
}

export interface ManifestEntry {
  readonly name: string;
  /** Files with the rows of the table, in row order: one file, or any number of parts. */
  readonly parts: readonly ManifestPart[];
  /** Whether the manifest lists the table as parts, even if there is only one part. */
  readonly isParted: boolean;
  /**
   * File column that contains the row positions and is not part of the table; null if the files have no such column.
   */
  readonly positions: string | null;
  readonly kind: string;
  readonly rows: number;
  readonly derived: boolean;
  /** Paths of category files, by column path. */
  readonly categories: ReadonlyMap<string, string>;
}

export interface Manifest {
  readonly format: Format;
  readonly version: string;
  readonly container: DatasetContainer;
  readonly shape: readonly [number, number] | null;
  readonly tables: readonly ManifestEntry[];
}

/**
 * Parses a manifest. @throws {InvalidDataError} if the content is not a manifest; {UnsupportedError} for a later
 * version.
 */
export function readManifest(bytes: Uint8Array): Manifest {
  let content: unknown;
  try {
    content = readJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidDataError(`manifest.json is no JSON: ${problem}`, { cause });
  }
  if (!isJsonObject(content) || !("annarrow" in content)) {
    throw new InvalidDataError('manifest.json is not of a directory of tables: it has no "annarrow"');
  }
  if (content.annarrow !== MAPPING_VERSION) {
    throw new UnsupportedError(`tables of the mapping version ${shown(content.annarrow)}, ${MAPPING_VERSION} is read`);
  }
  const { tables } = content;
  if (!Array.isArray(tables)) throw wrong("tables", tables, "a list");
  const entries = tables.map(entryOf);
  const names = new Set<string>();
  for (const { name } of entries) {
    if (names.has(name)) throw new InvalidDataError(`manifest.json lists the table ${shown(name)} twice`);
    names.add(name);
  }
  return {
    format: oneOf(
      listFormats().map(({ name }) => name),
      content.format,
      "format",
    ),
    version: text(content.formatVersion, "formatVersion"),
    container: oneOf([...listContainerKinds(), ...OTHERS], content.container, "container"),
    shape: shapeOf(content.shape),
    tables: entries,
  };
}

function entryOf(entry: unknown, i: number): ManifestEntry {
  const at = `tables[${i}]`;
  if (!isJsonObject(entry)) throw wrong(at, entry, "an object");
  const { derived, categories = {} } = entry;
  if (derived !== undefined && typeof derived !== "boolean") throw wrong(`${at}.derived`, derived, "true");
  if (!isJsonObject(categories)) throw wrong(`${at}.categories`, categories, "an object");
  const rows = count(entry.rows, `${at}.rows`);
  const { parts: listed, positions } = entry;
  if (listed !== undefined && !Array.isArray(listed)) throw wrong(`${at}.parts`, listed, "a list");
  const parts = listed?.map((part, k) => partOf(part, `${at}.parts[${k}]`));
  const total = parts?.reduce((sum, part) => sum + part.rows, 0) ?? rows;
  if (total !== rows) throw wrong(`${at}.rows`, rows, `${total}, which its parts have`);
  return {
    name: text(entry.name, `${at}.name`),
    parts: parts ?? [{ file: fileName(entry.file, `${at}.file`), rows, range: null, shift: 0 }],
    isParted: parts !== undefined,
    positions: positions === undefined ? null : text(positions, `${at}.positions`),
    kind: text(entry.kind, `${at}.kind`),
    rows,
    derived: derived ?? false,
    categories: new Map(
      Object.entries(categories).map(([column, file]) => [column, fileName(file, `${at}.categories.${column}`)]),
    ),
  };
}

function partOf(part: unknown, at: string): ManifestPart {
  if (!isJsonObject(part)) throw wrong(at, part, "an object");
  const { range, shift = 0 } = part;
  return {
    file: fileName(part.file, `${at}.file`),
    rows: count(part.rows, `${at}.rows`),
    range: range === undefined ? null : shapeOf(range),
    shift: count(shift, `${at}.shift`),
  };
}

/** Checks a relative path. A manifest must not refer to files outside its directory. */
function fileName(value: unknown, at: string): string {
  const name = text(value, at);
  const segments = name.split(/[/\\]/);
  const outside = segments.some((segment) => segment === "" || segment === "." || segment === "..");
  // On Windows, a colon follows a drive letter, or precedes the name of a file stream.
  if (outside || /[\\:\0]/.test(name)) {
    throw new InvalidDataError(`${at} of manifest.json leads out of the directory: ${shown(name)}`);
  }
  return name;
}

function shapeOf(value: unknown): readonly [number, number] | null {
  if (value === null) return null;
  if (!Array.isArray(value) || value.length !== 2) throw wrong("shape", value, "two numbers or null");
  return [count(value[0], "shape[0]"), count(value[1], "shape[1]")];
}

function text(value: unknown, at: string): string {
  if (typeof value !== "string") throw wrong(at, value, "text");
  return value;
}

function count(value: unknown, at: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw wrong(at, value, "a whole number");
}

function oneOf<T extends string>(known: readonly T[], value: unknown, at: string): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw wrong(at, value, `one of ${known.join(", ")}`);
  return found;
}

function wrong(at: string, value: unknown, expected: string): InvalidDataError {
  return new InvalidDataError(`${at} of manifest.json is ${shown(value)}, expected ${expected}`);
}

function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? "absent";
  return json.length > 80 ? `${json.slice(0, 79)}…` : json;
}
