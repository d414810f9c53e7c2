/**
 * Checks the contents of a folder that is to be replaced. A Zarr store, BPCells, a companion, or a directory of tables
 * or of split parts may be replaced if the folder contains nothing else, so that unrelated files are not lost.
 */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, parseJsonObject } from "../../model/json-object.js";
import type { FolderEntry, FolderTree } from "../schemes/remote-output.js";
import { ROOT_DOCUMENTS } from "./store.js";

export type Contents =
  | { readonly kind: "nothing" | "store" }
  /**
   * A folder with a file that does not belong to any store. `file` is the first such file; `inside` is true if it is
   * inside a store.
   */
  | { readonly kind: "other"; readonly file: string; readonly inside: boolean };

/** A folder on disk. The methods throw the system's errors. */
export function createDiskFolderTree(folder: string): FolderTree {
  return {
    async entries(path) {
      const entries = await readdir(join(folder, ...path), { withFileTypes: true });
      return entries
        .map((entry): FolderEntry => {
          const kind = entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other";
          return { name: entry.name, kind };
        })
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    text: (path) => readFile(join(folder, ...path), "utf8").catch(() => ""),
  };
}

/** Names of Zarr v2 and v3 chunks, and of the folders that contain them. */
const CHUNK = /^(?:c|(?:c\.)?\d+(?:\.\d+)*)$/;
const CHUNK_FOLDER = /^(?:c|\d+)$/;

/** Content of the BPCells file `version`; some writers omit the newline. */
const BPCELLS_VERSION = /^(?:un)?packed-(?:(?:uint|ulong|float|double)-matrix|fragments)-v\d{1,4}\r?\n?$/;

/**
 * Array names in all BPCells versions, packed or not. When a store is overwritten, files from other versions may be
 * left behind.
 */
const BPCELLS_FILE =
  /^(?:(?:val|index|idxptr|row|cell|start|end)(?:_data|_idx|_idx_offsets|_starts)?|(?:row|col|chr|cell)_names|shape|storage_order|version|col_ptr|row_count|end_max|chr_ptr)$/;

/** Files that operating systems create in folders. */
const LITTER = /^(?:\.DS_Store|\._.*|Thumbs\.db|desktop\.ini)$/;

/** Whether a path below the folder belongs to the store. */
type Belongs = (path: readonly string[], holds: Folder) => boolean;

interface Folder {
  /** Names in the parent folder of the path. */
  readonly names: ReadonlySet<string>;
  /** True if the folder contains only chunks, according to the names of its parent folders. */
  readonly ofChunks: boolean;
}

/**
 * Examines all names in a folder. Links in the folder are not followed, and do not belong to any store.
 * @throws the errors of the tree.
 */
export async function readFolderContents(tree: FolderTree): Promise<Contents> {
  const entries = await tree.entries([]);
  const names = entries.map(({ name }) => name).filter((name) => !LITTER.test(name));
  if (entries.length === 0) return { kind: "nothing" };
  const known = [...(await storeRules(tree, [], names)), ...(await splitRules(tree, entries))];
  if (known.length === 0) return { kind: "other", file: names[0] ?? entries[0].name, inside: false };
  const file = await firstOther(tree, { entries, above: [], ofChunks: false }, (path, holds) =>
    known.some((rule) => rule(path, holds)),
  );
  return file === null ? { kind: "store" } : { kind: "other", file, inside: true };
}

/** Returns the rules for all kinds of store that the folder at `path` may be, according to the names in it. */
async function storeRules(
  tree: FolderTree,
  path: readonly string[],
  names: readonly string[],
): Promise<readonly Belongs[]> {
  const text = (name: string) => (names.includes(name) ? tree.text([...path, name]) : Promise.resolve(""));
  const manifest = await text("manifest.json");
  const rules = [zarrRule(names), bpcellsRule(await text("version")), tablesRule(manifest), companionRule(manifest)];
  return rules.filter((rule) => rule !== null);
}

interface OpenedFolder {
  readonly entries: readonly FolderEntry[];
  /** Path of the folder, relative to the root folder. */
  readonly above: readonly string[];
  readonly ofChunks: boolean;
}

async function firstOther(
  tree: FolderTree,
  { entries, above, ofChunks }: OpenedFolder,
  belongs: Belongs,
): Promise<string | null> {
  const names = new Set(entries.map(({ name }) => name));
  const hasChunks = ofChunks || names.has(".zarray") || names.has("zarr.json");
  for (const { name, kind } of entries) {
    const path = [...above, name];
    if (kind === "folder") {
      const inside = { entries: await tree.entries(path), above: path };
      const other = await firstOther(tree, { ...inside, ofChunks: hasChunks && CHUNK_FOLDER.test(name) }, belongs);
      if (other !== null) return other;
    } else if (kind !== "file" || (!LITTER.test(name) && !belongs(path, { names, ofChunks }))) {
      return path.join("/");
    }
  }
  return null;
}

function zarrRule(names: readonly string[]): Belongs | null {
  if (!ROOT_DOCUMENTS.some((name) => names.includes(name))) return null;
  return (path, { names: beside, ofChunks }) => {
    const name = path[path.length - 1];
    if (ROOT_DOCUMENTS.includes(name)) return true;
    return CHUNK.test(name) && (ofChunks || beside.has(".zarray") || beside.has("zarr.json"));
  };
}

function bpcellsRule(version: string): Belongs | null {
  return BPCELLS_VERSION.test(version) ? (path) => path.length === 1 && BPCELLS_FILE.test(path[0]) : null;
}

/**
 * Returns the rule for a directory of tables. Other programs also use the name `manifest.json`, but only this library's
 * manifests list tables.
 */
function tablesRule(text: string): Belongs | null {
  const files = manifestFiles(text);
  if (files === null) return null;
  return (path) => files.has(path.join("/"));
}

/**
 * Returns the rule for a companion: a folder named in the companion's manifest, with one folder of BPCells arrays per
 * matrix.
 */
function companionRule(text: string): Belongs | null {
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

/**
 * Returns the rules for a folder that contains the parts of a split, as listed in `split.json`. A part may also be a
 * folder.
 */
async function splitRules(tree: FolderTree, entries: readonly FolderEntry[]): Promise<readonly Belongs[]> {
  if (!entries.some(({ name }) => name === "split.json")) return [];
  const manifest = parseJsonObject(await tree.text(["split.json"]));
  if (manifest === null || typeof manifest.annarrow !== "number" || !Array.isArray(manifest.parts)) return [];
  const parts = new Map<string, readonly Belongs[]>();
  for (const part of manifest.parts) {
    if (!isJsonObject(part) || typeof part.file !== "string") continue;
    const { file } = part;
    const kind = entries.find(({ name }) => name === file)?.kind;
    if (kind === undefined) continue;
    const inside = kind === "folder" ? (await tree.entries([file])).map(({ name }) => name) : null;
    parts.set(file, inside === null ? [] : await storeRules(tree, [file], inside));
  }
  const belongs: Belongs = ([file, ...below], holds) => {
    if (below.length === 0) return file === "split.json" || parts.has(file);
    return parts.get(file)?.some((rule) => rule(below, holds)) ?? false;
  };
  return [belongs];
}
