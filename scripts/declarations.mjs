/**
 * Ends the declarations of dist/: in imports, the entries of the core and of packages (`paths` of tsconfig.json) become the
 * files that declare the imported names, since the packages are parts of the published one. Programs then read the
 * declarations that they need, and no others.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { findEntry, findExport } from "./entries.mjs";

/** A source file as the declarations in `from` import it. */
function quoteDeclaration(source, from) {
  const declaration = resolve("dist", relative(".", source)).replace(/\.ts$/, ".js");
  const path = relative(dirname(resolve(from)), declaration).replaceAll("\\", "/");
  return `"${path.startsWith(".") ? path : `./${path}`}"`;
}

/** One statement for each file that declares some of the names. */
function replaceStatement(word, list, entry, from) {
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names
    .map((name) => {
      const [, type, imported, local] = /^(type )?(\w+)(?: as (\w+))?$/.exec(name);
      const { file, name: own } = findExport(entry, imported) ?? { file: resolve(findEntry(entry)), name: imported };
      const alias = own === (local ?? imported) ? own : `${own} as ${local ?? imported}`;
      return `${word} { ${type ?? ""}${alias} } from ${quoteDeclaration(file, from)};`;
    })
    .join(" ");
}

const STATEMENT = /^((?:import|export)(?: type)?) \{([^}]*)\} from "(@?annarrow[^"]*)";/gm;
const MEMBER = /\bimport\("(@?annarrow[^"]*)"\)\.(\w+)/g;
const WHOLE = /(?<=\b(?:from|import|module) ?\(?)"(@?annarrow[^"]*)"/g;

for (const name of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".d.ts")) continue;
  const file = `dist/${name}`;
  const text = readFileSync(file, "utf8");
  // Comments stay, whose examples import what is published.
  const ended = text
    .split(/(\/\*[\s\S]*?\*\/)/)
    .map((part) => {
      if (part.startsWith("/*")) return part;
      return part
        .replace(STATEMENT, (whole, word, list, entry) =>
          findEntry(entry) === null ? whole : replaceStatement(word, list, entry, file),
        )
        .replace(MEMBER, (whole, entry, member) => {
          const found = findExport(entry, member);
          return found === null ? whole : `import(${quoteDeclaration(found.file, file)}).${found.name}`;
        })
        .replace(WHOLE, (whole, entry) => {
          const source = findEntry(entry);
          return source === null ? whole : quoteDeclaration(resolve(source), file);
        });
    })
    .join("");
  if (ended !== text) writeFileSync(file, ended);
}
