/** Patterns of file names that the shell did not expand: `"runs/*.h5ad"`, `"s3://bucket/*.h5ad"`. */

import { isCloudAddress } from "@annarrow/cloud";
import { NotFoundError } from "annarrow";
import { hasScheme } from "annarrow/core/model";

import { getSystemRules, type SystemRules } from "annarrow/node/platform";
import type { WebOptions } from "../context/context.js";
import { type FileTree, localFiles } from "./file-tree.js";

const SPECIAL = /[*?[\]{}]/;

export interface ExpandedInputs {
  readonly paths: readonly string[];
  /** Whether an input was a pattern. */
  readonly matched: boolean;
}

/** The file system whose names are matched, and its rules. */
export interface Machine {
  readonly files: FileTree;
  readonly rules: SystemRules;
}

/**
 * Replaces patterns by the paths that they match, sorted by name: `*` and `?` within a name, `**` for any folders,
 * `[abc]`, `{a,b}`. As in a shell, only a pattern that begins with a dot matches hidden files. Existing paths and URLs
 * are not patterns; in an object store, every folder may be a pattern, but not the bucket. On Windows, whose shells
 * leave all patterns to the command, backslashes also separate names, and matching ignores case.
 * @throws {NotFoundError} for a pattern that matches nothing.
 */
export async function expandInputs(
  inputs: readonly string[],
  web: WebOptions = {},
  machine: Machine = { files: localFiles, rules: getSystemRules() },
): Promise<ExpandedInputs> {
  const paths: string[] = [];
  let matched = false;
  for (const input of inputs) {
    const tree = SPECIAL.test(input) ? await treeOf(input, web, machine.files) : null;
    if (tree === null || (await tree.exists(input))) {
      paths.push(input);
      continue;
    }
    const found = new Set<string>();
    const isWindows = tree === machine.files && machine.rules.path.sep === "\\";
    const divided = isWindows ? input.replaceAll("\\", "/") : input;
    for (const pattern of alternatives(divided)) {
      for (const path of await matches(pattern, { tree, isWindows })) {
        found.add(divided === input ? path : path.replaceAll("/", "\\"));
      }
    }
    if (found.size === 0) throw new NotFoundError("no file matches this pattern", { source: input });
    for (const path of [...found].sort()) paths.push(path);
    matched = true;
  }
  return { paths, matched };
}

/** Returns the file tree in which a pattern is expanded; null for a URL, because URLs cannot be listed. */
async function treeOf(input: string, web: WebOptions, files: FileTree): Promise<FileTree | null> {
  if (isCloudAddress(input)) return (await import("./cloud-tree.js")).createCloudTree(input, web);
  return hasScheme(input) ? null : files;
}

/** Expands braces, and returns the resulting patterns without braces. */
function alternatives(pattern: string): readonly string[] {
  // The innermost braces with a comma. Other braces are ordinary characters of a name, as in a shell.
  const found = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (found === null) return [pattern];
  const [before, after] = [pattern.slice(0, found.index), pattern.slice(found.index + found[0].length)];
  return found[1].split(",").flatMap((one) => alternatives(`${before}${one}${after}`));
}

interface Names {
  readonly tree: FileTree;
  /** True on Windows, where a letter and a colon are a drive, and names are compared case-insensitively. */
  readonly isWindows: boolean;
}

/** Returns the paths that match a pattern without braces. */
async function matches(pattern: string, names: Names): Promise<readonly string[]> {
  const { tree, isWindows } = names;
  // A drive without its slash would mean the current folder on that drive.
  const beginning = isWindows ? /^(?:[a-z]:)?\/*/i : /^(?:[a-z][a-z0-9+.-]*:\/\/[^/]*\/)?\/*/i;
  const root = beginning.exec(pattern)?.[0] ?? "";
  const ending = /\/*$/.exec(pattern)?.[0] === "" ? "" : "/";
  let found: readonly string[] = [root];
  const segments = pattern
    .slice(root.length)
    .split("/")
    .filter((segment) => segment !== "");
  for (const [i, segment] of segments.entries()) {
    const isLast = i === segments.length - 1;
    const next: string[] = [];
    for (const folder of found) {
      for (const path of await step(names, folder, segment, isLast && ending === "")) next.push(path);
    }
    found = next;
  }
  if (ending === "") return found;
  const folders: string[] = [];
  for (const path of found) if (await tree.isFolder(path)) folders.push(path + ending);
  return folders;
}

/** Matches one more segment of the pattern; `**` matches the folder itself and all folders below. */
async function step(names: Names, folder: string, segment: string, isLast: boolean): Promise<readonly string[]> {
  const { tree, isWindows } = names;
  if (segment === "**") return isLast ? filesBelow(tree, folder) : foldersBelow(tree, folder);
  if (!SPECIAL.test(segment)) {
    const path = joined(folder, segment);
    return !isLast || (await tree.exists(path)) ? [path] : [];
  }
  const matching = expression(segment.normalize(), isWindows);
  const found: string[] = [];
  for (const entry of await tree.entries(folder)) {
    const isHidden = entry.name.startsWith(".") && !segment.startsWith(".");
    if (!isHidden && matching.test(entry.name.normalize())) found.push(joined(folder, entry.name));
  }
  return found;
}

function joined(folder: string, name: string): string {
  return folder === "" || folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

async function foldersBelow(tree: FileTree, folder: string): Promise<readonly string[]> {
  const found = [folder];
  for (const entry of await tree.entries(folder)) {
    if (!entry.isFolder || entry.name.startsWith(".")) continue;
    for (const below of await foldersBelow(tree, joined(folder, entry.name))) found.push(below);
  }
  return found;
}

async function filesBelow(tree: FileTree, folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await tree.entries(folder)) {
    if (entry.name.startsWith(".")) continue;
    const path = joined(folder, entry.name);
    if (!entry.isFolder) found.push(path);
    else for (const below of await filesBelow(tree, path)) found.push(below);
  }
  return found;
}

/**
 * Returns a regular expression for one segment of a path, in the Unicode normal form that keyboards produce; macOS may
 * list names in another form.
 */
function expression(segment: string, ignoresCase: boolean): RegExp {
  const source = segment.replace(
    /\[([!^]?)(\]?[^\]]*)\]|[*?]|[\\^$.|+()[\]{}]/g,
    (text, not?: string, set?: string) => {
      if (set) return `[${not === "" ? "" : "^"}${set.replace(/[\\^[\]]/g, "\\$&")}]`;
      if (text === "*") return "[^/]*";
      return text === "?" ? "[^/]" : `\\${text}`;
    },
  );
  return new RegExp(`^${source}$`, ignoresCase ? "sui" : "su");
}
