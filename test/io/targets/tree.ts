/** What is at a path, to be compared bit for bit. */

import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** One line per file and folder, with the hash of what is in it; null for nothing. */
export function tree(path: string): string | null {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info === undefined) return null;
  if (!info.isDirectory()) return hash(path);
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => {
      const at = join(entry.parentPath, entry.name);
      return `${relative(path, at)} ${entry.isDirectory() ? "/" : hash(at)}`;
    })
    .sort()
    .join("\n");
}

function hash(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
