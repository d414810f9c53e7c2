/**
 * Looks at the contents of a folder that is to be replaced. A Zarr store, BPCells, a companion, a directory of tables or of the
 * parts of a split may be replaced if the folder holds nothing else: unrelated files must not be lost with it.
 */

import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, parseJsonObject } from "../model/json-object.js";

export type Contents =
  | { readonly kind: "nothing" | "store" }
  /** A folder with a file that belongs to no store, the first of them; `inside` tells whether a store is around it. */
  | { readonly kind: "other"; readonly file: string; readonly inside: boolean };

const ZARR_DOCUMENTS = ["zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata"];

/** Names of chunks of Zarr v2 and v3, and of folders that they lie in. */
const CHUNK = /^(?:c|(?:c\.)?\d+(?:\.\d+)*)$/;
const CHUNK_FOLDER = /^(?:c|\d+)$/;

/** The contents of BPCells' file `version`; some writers leave out the end of the line. */
const BPCELLS_VERSION = /^(?:un)?packed-(?:(?:uint|ulong|float|double)-matrix|fragments)-v\d{1,4}\r?\n?$/;

/** Names of arrays of all versions of BPCells, packed or not; overwriting leaves files of another version behind. */
const BPCELLS_FILE =
  /^(?:(?:val|index|idxptr|row|cell|start|end)(?:_data|_idx|_idx_offsets|_starts)?|(?:row|col|chr|cell)_names|shape|storage_order|version|col_ptr|row_count|end_max|chr_ptr)$/;

/** Files that operating systems put into folders by themselves. */
const LITTER = /^(?:\.DS_Store|\._.*|Thumbs\.db|desktop\.ini)$/;

/** Whether a path below the folder belongs to the store. */
type Belongs = (path: readonly string[], holds: Folder) => boolean;

interface Folder {
  /** The names in the folder that the path lies in. */
  readonly names: ReadonlySet<string>;
  /** Whether the folder holds only chunks, by the names of the folders above. */
  readonly ofChunks: boolean;
}

/**
 * Looks at all names in a folder. Links in it are not followed, and belong to no store.
 * @throws the system's error.
 */
export async function contentsOf(folder: string): Promise<Contents> {
  const entries = await sortedEntries(folder);
  const names = entries.map(({ name }) => name).filter((name) => !LITTER.test(name));
  if (entries.length === 0) return { kind: "nothing" };
  const known = [...(await storeRules(folder, names)), ...(await splitRules(folder, names))];
  if (known.length === 0) return { kind: "other", file: names[0] ?? entries[0].name, inside: false };
  const root = { path: folder, entries, above: [], ofChunks: false };
  const file = await firstOther(root, (path, holds) => known.some((rule) => rule(path, holds)));
  return file === null ? { kind: "store" } : { kind: "other", file, inside: true };
}

/** The rules of the stores that a folder with these names may be. */
async function storeRules(folder: string, names: readonly string[]): Promise<readonly Belongs[]> {
  const rules = [
    zarrRule(names),
    await bpcellsRule(folder, names),
    await tablesRule(folder, names),
    await companionRule(folder, names),
  ];
  return rules.filter((rule) => rule !== null);
}

async function sortedEntries(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A folder whose entries are checked. */
interface OpenedFolder {
  readonly path: string;
  readonly entries: readonly Dirent[];
  /** Names of the folders around it, below the first one. */
  readonly above: readonly string[];
  readonly ofChunks: boolean;
}

async function firstOther(
  { path: folder, entries, above, ofChunks }: OpenedFolder,
  belongs: Belongs,
): Promise<string | null> {
  const names = new Set(entries.map(({ name }) => name));
  const hasChunks = ofChunks || names.has(".zarray") || names.has("zarr.json");
  for (const entry of entries) {
    const path = [...above, entry.name];
    if (entry.isDirectory()) {
      const below = join(folder, entry.name);
      const inside = { path: below, entries: await sortedEntries(below), above: path };
      const other = await firstOther({ ...inside, ofChunks: hasChunks && CHUNK_FOLDER.test(entry.name) }, belongs);
      if (other !== null) return other;
    } else if (!entry.isFile() || (!LITTER.test(entry.name) && !belongs(path, { names, ofChunks }))) {
      return path.join("/");
    }
  }
  return null;
}

function zarrRule(names: readonly string[]): Belongs | null {
  if (!ZARR_DOCUMENTS.some((name) => names.includes(name))) return null;
  return (path, { names: beside, ofChunks }) => {
    const name = path[path.length - 1];
    if (ZARR_DOCUMENTS.includes(name)) return true;
    return CHUNK.test(name) && (ofChunks || beside.has(".zarray") || beside.has("zarr.json"));
  };
}

async function bpcellsRule(folder: string, names: readonly string[]): Promise<Belongs | null> {
  if (!names.includes("version")) return null;
  const version = await readFile(join(folder, "version"), "utf8").catch(() => "");
  if (!BPCELLS_VERSION.test(version)) return null;
  return (path) => path.length === 1 && BPCELLS_FILE.test(path[0]);
}

/** The rule for a directory of tables. Other programs have a `manifest.json`, too; this library's lists its tables. */
async function tablesRule(folder: string, names: readonly string[]): Promise<Belongs | null> {
  if (!names.includes("manifest.json")) return null;
  const text = await readFile(join(folder, "manifest.json"), "utf8").catch(() => "");
  const files = manifestFiles(text);
  if (files === null) return null;
  return (path) => files.has(path.join("/"));
}

/** The rule for a companion: the folder that its manifest names, with a folder of BPCells' arrays for each matrix. */
async function companionRule(folder: string, names: readonly string[]): Promise<Belongs | null> {
  if (!names.includes("manifest.json")) return null;
  const text = await readFile(join(folder, "manifest.json"), "utf8").catch(() => "");
  const manifest = parseJsonObject(text);
  if (manifest?.annarrow !== "companion") return null;
  return (path) => {
    if (path.length === 1) return path[0] === "manifest.json";
    const [version, matrix, file] = path;
    return path.length === 3 && version === manifest.folder && /^\d+$/.test(matrix) && BPCELLS_FILE.test(file);
  };
}

function manifestFiles(text: string): ReadonlySet<string> | null {
  const manifest = parseJsonObject(text);
  if (manifest === null || typeof manifest.annarrow !== "number" || !Array.isArray(manifest.tables)) return null;
  const files = new Set(["manifest.json"]);
  for (const table of manifest.tables) {
    if (!isJsonObject(table)) continue;
    for (const file of [table.file, ...(isJsonObject(table.categories) ? Object.values(table.categories) : [])]) {
      if (typeof file === "string") files.add(file);
    }
  }
  return files;
}

/** The rule for a folder of the parts of a split, whose `split.json` lists them. A part may be a folder, too. */
async function splitRules(folder: string, names: readonly string[]): Promise<readonly Belongs[]> {
  if (!names.includes("split.json")) return [];
  const text = await readFile(join(folder, "split.json"), "utf8").catch(() => "");
  const manifest = parseJsonObject(text);
  if (manifest === null || typeof manifest.annarrow !== "number" || !Array.isArray(manifest.parts)) return [];
  const parts = new Map<string, readonly Belongs[]>();
  for (const part of manifest.parts) {
    if (!isJsonObject(part) || typeof part.file !== "string" || !names.includes(part.file)) continue;
    const inside = await readdir(join(folder, part.file)).catch(() => null);
    parts.set(part.file, inside === null ? [] : await storeRules(join(folder, part.file), inside));
  }
  const belongs: Belongs = ([file, ...below], holds) => {
    if (below.length === 0) return file === "split.json" || parts.has(file);
    return parts.get(file)?.some((rule) => rule(below, holds)) ?? false;
  };
  return [belongs];
}
