/** Opens a directory of tables with `manifest.json`, or a single Parquet or Arrow file. */

import { createKeyFile, createSourceFile } from "../../io/sources/file-bytes.js";
import type { ByteSource, KeyValueSource, Source } from "../../io/sources/source.js";
import type { Dataset, DataTable } from "../../model/dataset.js";
import {
  type AnnarrowError,
  isAnnarrowError,
  locateError,
  NotFoundError,
  UnsupportedError,
} from "../../model/errors.js";
import { isNamedAsAnnData } from "../../model/modalities.js";
import { MAX_MANIFEST_BYTES } from "../../model/table-metadata.js";
import { getRowAxis } from "../../tables/axes.js";
import type { TableFileOptions } from "../../tables/files/open-file.js";
import { detectTableFileKind } from "./detect.js";
import { type ManifestEntry, readManifest } from "./manifest.js";

/** A dataset of tables, without its source. */
type TablesDataset = Pick<Dataset, "format" | "version" | "container" | "shape" | "tables" | "failures" | "warnings">;

/** Number of files that are opened concurrently. */
const AT_ONCE = 16;

/**
 * Opens the tables of `source`. Tables whose files cannot be read become failures.
 * @throws {NotFoundError} if the source is neither a table file nor a directory with `manifest.json`.
 * @throws {InvalidDataError} if the manifest or the single file is malformed.
 */
export function openTables(source: Source, options: TableFileOptions): Promise<TablesDataset> {
  return source.kind === "bytes" ? openTableFile(source, options) : openDirectory(source, options);
}

async function openDirectory(source: KeyValueSource, options: TableFileOptions): Promise<TablesDataset> {
  const document = await source.get("manifest.json", { ...options, most: MAX_MANIFEST_BYTES });
  if (document === undefined) throw new NotFoundError("no manifest.json", { source: source.name });
  const { tables: entries, ...manifest } = readManifest(document);
  const opened = new Map<string, DataTable>();
  const failures = new Map<string, AnnarrowError>();
  const origin = { source: source.name, format: manifest.format, tables: opened };
  const { openFileTable, openPartsTable } = await import("../../tables/files/open-file.js");
  const openEntry = async (entry: ManifestEntry): Promise<DataTable | AnnarrowError> => {
    try {
      const file = (name: string) => ({ bytes: createKeyFile(source, name), kind: kindOf(name) });
      const categories = new Map([...entry.categories].map(([path, name]) => [path, file(name)]));
      const { name, kind, rows, derived, parts, positions } = entry;
      const axis = isNamedAsAnnData(manifest.format) ? getRowAxis(name) : null;
      const properties = { name, kind, rows, derived, axis, origin, categories };
      if (!entry.isParted) return await openFileTable(file(parts[0].file), properties, options);
      const files = parts.map(({ file: path, ...part }) => ({ ...part, file: file(path) }));
      const shape = entry.kind.endsWith("_matrix") ? manifest.shape : null;
      return await openPartsTable(files, { ...properties, whole: { positions, shape } }, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      const located = locateError(error, { source: source.name, element: entry.name });
      if (isAnnarrowError(located) && located.tag !== "MissingDependencyError") return located;
      throw located;
    }
  };
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const some = entries.slice(at, at + AT_ONCE);
    const results = await Promise.all(some.map(openEntry));
    results.forEach((result, i) => {
      if (isAnnarrowError(result)) failures.set(some[i].name, result);
      else opened.set(some[i].name, result);
    });
  }
  return { ...manifest, tables: opened, failures, warnings: [] };
}

function kindOf(file: string): "parquet" | "arrow" {
  if (/\.parquet$/i.test(file)) return "parquet";
  if (/\.arrow$/i.test(file)) return "arrow";
  throw new UnsupportedError(`${file} is neither .parquet nor .arrow; text has no types to be read back`);
}

async function openTableFile(source: ByteSource, options: TableFileOptions): Promise<TablesDataset> {
  const kind = await detectTableFileKind(source, options);
  if (kind === null) throw new NotFoundError("neither a Parquet nor an Arrow file", { source: source.name });
  const { openFileTable } = await import("../../tables/files/open-file.js");
  const name = tableName(source.name);
  const file = { bytes: createSourceFile(source), kind, size: source.size };
  const tables = new Map<string, DataTable>();
  const origin = { source: source.name, format: "tables", tables } as const;
  const entry = { name, derived: false, axis: null, origin, categories: new Map() };
  tables.set(name, await openFileTable(file, entry, options));
  return {
    format: "tables",
    version: "",
    container: kind === "parquet" ? "parquet" : "arrow",
    shape: null,
    tables,
    failures: new Map(),
    warnings: [],
  };
}

/** Derives a table's name from its source: `obs` for `/data/obs.parquet` and `https://host/obs.parquet?key=1`. */
function tableName(source: string): string {
  const path = URL.canParse(source) && /^https?:/i.test(source) ? new URL(source).pathname : source;
  const stem = (path.split(/[/\\]/).at(-1) ?? "").replace(/\.[^.]*$/, "");
  try {
    return decodeURIComponent(stem) || "table";
  } catch {
    return stem;
  }
}
