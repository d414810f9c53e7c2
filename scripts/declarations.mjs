/**
 * Ends the declarations of dist/: the entries by which packages import the core and each other (`paths` of tsconfig.json)
 * become relative paths, since the packages are parts of the published one.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { findEntry } from "./entries.mjs";

/** The file in dist/ of an entry; null for the name of another package. */
function findFile(name) {
  const file = findEntry(name);
  return file === null ? null : join("dist", file.replace(/\.ts$/, ".js"));
}

for (const file of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (!file.endsWith(".d.ts")) continue;
  const path = join("dist", file);
  const text = readFileSync(path, "utf8");
  // Not in comments, whose examples import what is published.
  const ended = text.replace(
    /\/\*[\s\S]*?\*\/|(?<=\b(?:from|import|module) ?\(?)"(@?annarrow[^"]*)"/g,
    (whole, name) => {
      const target = name === undefined ? null : findFile(name);
      if (target === null) return whole;
      const to = relative(dirname(path), target).replaceAll("\\", "/");
      return `"${to.startsWith(".") ? to : `./${to}`}"`;
    },
  );
  if (ended !== text) writeFileSync(path, ended);
}
