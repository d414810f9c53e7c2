/** Who imports whom in the core, in the packages and in their tests, read with the TypeScript parser. */

import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import ts from "typescript";
import { findEntry, findExport } from "../../scripts/entries.mjs";

export interface Import {
  /** The importing file, relative to the folder that is read. */
  readonly from: string;
  /** A file relative to that folder, as `.ts` (a `.tsx` too), or the name of a package (`apache-arrow`, `node:fs`). */
  readonly to: string;
  /** False for `import type`, which leaves no trace in the program. */
  readonly atRunTime: boolean;
  /** True for `import()`. */
  readonly lazy: boolean;
  /** True for an import of the platform (`#…`), which leads to one of several files: there is an edge to each of them. */
  readonly byCondition: boolean;
  /** The entry by which a package imports the core or another package, such as `annarrow/core/tables`. */
  readonly entry?: string;
}

export const PACKAGES = readdirSync("packages", { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && readdirSync(`packages/${entry.name}`).includes("package.json"))
  .map(({ name }) => name);

/** The folders of the product's own code: the core, and each package. */
export const ROOTS = ["src", ...PACKAGES.map((name) => `packages/${name}/src`)];

/** What `imports` of the package.json files choose by condition: names to paths in the repository. */
const PLATFORMS = new Map(["", ...PACKAGES.map((name) => `packages/${name}`)].flatMap(readPlatforms));

function readPlatforms(folder: string): [name: string, paths: string[]][] {
  const { imports = {} }: { imports?: Record<string, Record<string, string>> } = JSON.parse(
    readFileSync(posix.join(folder, "package.json"), "utf8"),
  );
  return Object.entries(imports).map(([name, variants]) => [
    name,
    Object.values(variants).map((path) => posix.join(folder, path)),
  ]);
}

/** All files below `folder`, relative to it, sorted; a folder that is absent has none. */
export function listFiles(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => posix.relative(folder, posix.join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|\/)(node_modules|__pycache__)\//.test(path))
    .sort();
}

export function readImports(root: string): Import[] {
  return listFiles(root, /\.tsx?$/).flatMap((file) =>
    importsOf(file, readFileSync(posix.join(root, file), "utf8"), root),
  );
}

/** The imports of several folders, all files relative to the repository. */
export function readImportsWithin(roots: readonly string[]): Import[] {
  return roots.flatMap((root) =>
    readImports(root).map((edge) => ({
      ...edge,
      from: posix.join(root, edge.from),
      to: edge.to.endsWith(".ts") ? posix.join(root, edge.to) : edge.to,
    })),
  );
}

/** The imports, re-exports, `import()` calls and `import("…")` types of one source text. */
export function importsOf(file: string, text: string, root = "src"): Import[] {
  const found: Import[] = [];
  const from = file.replace(/x$/, "");
  const add = (specifier: ts.Node | undefined, names: readonly string[], atRunTime: boolean, lazy: boolean) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const variants = PLATFORMS.get(specifier.text);
    const edge = { from, atRunTime, lazy, byCondition: variants !== undefined };
    for (const path of variants ?? []) found.push({ ...edge, to: posix.relative(root, path) });
    if (variants !== undefined) return;
    const entry = findEntry(specifier.text);
    if (entry === null) {
      found.push({ ...edge, to: resolve(file, specifier.text) });
      return;
    }
    const declaring = names.map((name) => findExport(specifier.text, name)?.file ?? entry);
    const targets = new Set((names.length === 0 ? [entry] : declaring).map((path) => posix.relative("", path)));
    for (const path of targets) found.push({ ...edge, to: posix.relative(root, path), entry: specifier.text });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings;
      const names = bindings !== undefined && ts.isNamedImports(bindings) ? namesOf(bindings) : [];
      add(node.moduleSpecifier, names, node.importClause?.isTypeOnly !== true, false);
    } else if (ts.isExportDeclaration(node)) {
      const names =
        node.exportClause !== undefined && ts.isNamedExports(node.exportClause) ? namesOf(node.exportClause) : [];
      add(node.moduleSpecifier, names, !node.isTypeOnly, false);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, [], false, false);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], [], true, true);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

function namesOf({ elements }: ts.NamedImports | ts.NamedExports): string[] {
  return elements.map(({ propertyName, name }) => (propertyName ?? name).text);
}

function resolve(file: string, specifier: string): string {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(file), specifier).replace(/\.js$/, ".ts");
  if (specifier.startsWith("node:")) return specifier;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** What is loaded, at the latest when `entries` have been: everything behind run-time imports that are not lazy. */
export function loadedWith(imports: readonly Import[], entries: readonly string[]): Map<string, string[]> {
  const byFile = new Map<string, string[]>();
  for (const { from, to, atRunTime, lazy } of imports) {
    if (atRunTime && !lazy) byFile.set(from, [...(byFile.get(from) ?? []), to]);
  }
  const chains = new Map<string, string[]>(entries.map((entry) => [entry, [entry]]));
  for (const [file, chain] of chains) {
    for (const to of byFile.get(file) ?? []) {
      if (!chains.has(to)) chains.set(to, [...chain, to]);
    }
  }
  return chains;
}
