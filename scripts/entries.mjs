/**
 * Lets bundlers see what a package imports. Packages import the core, and each other, by entries that export what many files
 * declare (`paths` of tsconfig.json). A bundler that divides code into files takes such an entry for all that it exports.
 * This plugin replaces the entry in each import by the files that declare the imported names.
 */

import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

const { paths } = JSON.parse(readFileSync("tsconfig.json", "utf8")).compilerOptions;
const entries = Object.entries(paths).map(([name, [file]]) => ({
  name: new RegExp(`^${name.replace("*", "([^/]+)")}$`),
  file: file.replace("*", "$1"),
}));

/** The source file of an entry, relative to the project; null for the name of another package. */
export function findEntry(name) {
  const entry = entries.find((one) => one.name.test(name));
  return entry === undefined ? null : name.replace(entry.name, entry.file);
}

const read = new Map();

/** The names that an entry exports, types too, with the files that declare them and their names there. */
function readNames(file) {
  const known = read.get(file);
  if (known !== undefined) return known;
  const names = new Map();
  read.set(file, names);
  const text = readFileSync(file, "utf8");
  for (const [, name] of text.matchAll(
    /^export (?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm,
  )) {
    names.set(name, { file, name });
  }
  for (const [, from] of text.matchAll(/^export \* from "(\.[^"]+)";/gm)) {
    for (const [name, target] of readNames(resolve(dirname(file), from.replace(/\.js$/, ".ts")))) {
      names.set(name, target);
    }
  }
  for (const [, list, from] of text.matchAll(/^export (?:type )?\{([^}]*)\} from "(\.[^"]+)";/gm)) {
    const source = resolve(dirname(file), from.replace(/\.js$/, ".ts"));
    for (const { imported, local } of parseNames(list.replace(/\btype (?=\w)/g, ""))) {
      names.set(local, { file: source, name: imported });
    }
  }
  return names;
}

/** The file that declares a name of an entry, and the name there; null where the entry does not export it. */
export function findExport(entry, name) {
  const file = findEntry(entry);
  return file === null || !existsSync(file) ? null : (readNames(resolve(file)).get(name) ?? null);
}

/** The values of a list of imports or exports: types leave no trace in the program. */
function parseNames(list) {
  const names = list.split(",").map((name) => name.trim());
  return names
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => {
      const [imported, local = imported] = name.split(" as ");
      return { imported, local };
    });
}

/** The files that declare the names of an import by an entry; null where one is not found. */
function replaceImport(names, entry) {
  const found = names.map(({ imported, local }) => ({ local, target: findExport(entry, imported) }));
  return found.every(({ target }) => target !== null) ? found : null;
}

/** The specifier of a source file, as the sources write them: by the name of its JavaScript. */
function quoteModule(file) {
  return JSON.stringify(file.replace(/\.ts$/, ".js"));
}

/** The file that declares all of these names of an entry, as a specifier; the entry itself where there is no such file. */
function findSpecifier(names, entry) {
  const files = new Set(replaceImport(names, entry)?.map(({ target }) => target.file));
  return files.size === 1 ? quoteModule([...files][0]) : `"${entry}"`;
}

/** The names of a pattern such as `{ a, b: c }`. */
const parsePattern = (list) => parseNames(list).map(({ imported }) => ({ imported: imported.split(":")[0] }));

const IMPORT = /^import (?!type )\{([^}]*)\} from "(@?annarrow[^"]*)";/gm;
const LAZY = /(\bconst \{([^}]*)\}\s*=\s*await import\()"(@?annarrow[^"]*)"\)/g;
const LAZY_MEMBER = /(\(await import\()"(@?annarrow[^"]*)"(\)\)\.(\w+))/g;
const LAZY_SEVERAL = /\bconst \[((?:\s*\{[^}]*\},?)+)\s*\]\s*=\s*await Promise\.all\(\[([^\]]*)\]\)/g;

export const directImports = {
  name: "direct-imports",
  transform: {
    filter: { id: /\.tsx?$/ },
    handler(code, id) {
      const path = relative(".", id).replaceAll("\\", "/");
      if (!path.startsWith("packages/") || !code.includes("annarrow")) return null;
      const direct = code
        .replace(IMPORT, (whole, list, entry) => {
          const found = replaceImport(parseNames(list), entry);
          if (found === null) return whole;
          // In one line, so that lines stay where they are.
          const lines = found.map(
            ({ local, target }) => `import { ${target.name} as ${local} } from ${quoteModule(target.file)};`,
          );
          return lines.join(" ") + "\n".repeat(whole.split("\n").length - 1);
        })
        .replace(LAZY, (_, before, list, entry) => `${before}${findSpecifier(parsePattern(list), entry)})`)
        .replace(LAZY_MEMBER, (_, before, entry, after, name) => {
          return `${before}${findSpecifier([{ imported: name }], entry)}${after}`;
        })
        .replace(LAZY_SEVERAL, (whole, patterns, imports) => {
          const lists = [...patterns.matchAll(/\{([^}]*)\}/g)].map(([, list]) => list);
          const replaced = imports
            .split(",")
            .map((one, i) =>
              one.replace(/"(@?annarrow[^"]*)"/, (_, entry) => findSpecifier(parsePattern(lists[i] ?? ""), entry)),
            );
          return whole.replace(imports, () => replaced.join(","));
        });
      return { code: direct, map: null };
    },
  },
};
