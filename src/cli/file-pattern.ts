/** Patterns of file names that the shell has left as they are: `"runs/*.h5ad"`. */

import { lstat, readdir, stat } from "node:fs/promises";
import { NotFoundError } from "../model/errors.js";
import { onDisk } from "../model/system-error.node.js";

const SPECIAL = /[*?[\]{}]/;

/** Inputs of a command, with the paths that patterns match. */
export interface ExpandedInputs {
  readonly paths: readonly string[];
  /** Whether an input was a pattern. */
  readonly matched: boolean;
}

/**
 * Replaces patterns by the paths that they match, in order of their names: `*` and `?` within a name, `**` for any
 * folders, `[abc]`, `{a,b}`. As in a shell, only a pattern that begins with a dot matches hidden files. A path that
 * exists is no pattern, and neither is a URL.
 * @throws {NotFoundError} for a pattern that matches nothing.
 */
export async function expandedInputs(inputs: readonly string[]): Promise<ExpandedInputs> {
  const paths: string[] = [];
  let matched = false;
  for (const input of inputs) {
    if (!SPECIAL.test(input) || /^[a-z][a-z0-9+.-]*:\/\//i.test(input) || (await exists(input))) {
      paths.push(input);
      continue;
    }
    const found = new Set<string>();
    for (const pattern of alternatives(input)) for (const path of await matches(pattern)) found.add(path);
    if (found.size === 0) throw new NotFoundError("no file matches this pattern", { source: input });
    paths.push(...[...found].sort());
    matched = true;
  }
  return { paths, matched };
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** The patterns without braces that a pattern with braces stands for. */
function alternatives(pattern: string): readonly string[] {
  // The innermost braces with a comma; others are characters of a name, as in a shell.
  const found = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (found === null) return [pattern];
  const [before, after] = [pattern.slice(0, found.index), pattern.slice(found.index + found[0].length)];
  return found[1].split(",").flatMap((one) => alternatives(`${before}${one}${after}`));
}

/** The paths that a pattern without braces matches. */
async function matches(pattern: string): Promise<readonly string[]> {
  const root = /^\/*/.exec(pattern)?.[0] ?? "";
  const ending = /\/*$/.exec(pattern)?.[0] === "" ? "" : "/";
  let found: readonly string[] = [root];
  const segments = pattern.split("/").filter((segment) => segment !== "");
  for (const [i, segment] of segments.entries()) {
    const isLast = i === segments.length - 1;
    const next: string[] = [];
    for (const folder of found) next.push(...(await step(folder, segment, isLast && ending === "")));
    found = next;
  }
  if (ending === "") return found;
  const folders: string[] = [];
  for (const path of found) if ((await stat(path).catch(() => null))?.isDirectory()) folders.push(path + ending);
  return folders;
}

/** The paths one segment of the pattern further; `**` stands for the folder itself and all folders below. */
async function step(folder: string, segment: string, isLast: boolean): Promise<readonly string[]> {
  const join = (name: string) => (folder === "" || folder.endsWith("/") ? folder + name : `${folder}/${name}`);
  if (segment === "**") return isLast ? filesBelow(folder, join) : foldersBelow(folder, join);
  if (!SPECIAL.test(segment)) return (await exists(join(segment))) ? [join(segment)] : [];
  const matching = expression(segment);
  const found: string[] = [];
  for (const entry of await entriesOf(folder)) {
    const isHidden = entry.name.startsWith(".") && !segment.startsWith(".");
    if (!isHidden && matching.test(entry.name)) found.push(join(entry.name));
  }
  return found;
}

async function foldersBelow(folder: string, join: (name: string) => string): Promise<readonly string[]> {
  const found = [folder];
  for (const entry of await entriesOf(folder)) {
    if (!entry.isDirectory() || entry.name.startsWith(".")) continue;
    const below = join(entry.name);
    found.push(...(await foldersBelow(below, (name) => `${below}/${name}`)));
  }
  return found;
}

async function filesBelow(folder: string, join: (name: string) => string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(folder)) {
    if (entry.name.startsWith(".")) continue;
    const path = join(entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path, (name) => `${path}/${name}`)));
    else found.push(path);
  }
  return found;
}

/** The entries of a folder; none where it cannot be listed. */
async function entriesOf(folder: string) {
  const path = folder === "" ? "." : folder;
  return onDisk(path, () => readdir(path, { withFileTypes: true })).catch(() => []);
}

/** A regular expression for one name of a path. */
function expression(segment: string): RegExp {
  const source = segment.replace(
    /\[([!^]?)(\]?[^\]]*)\]|[*?]|[\\^$.|+()[\]{}]/g,
    (text, not?: string, set?: string) => {
      if (set) return `[${not === "" ? "" : "^"}${set.replace(/[\\^[\]]/g, "\\$&")}]`;
      if (text === "*") return "[^/]*";
      return text === "?" ? "[^/]" : `\\${text}`;
    },
  );
  return new RegExp(`^${source}$`, "su");
}
