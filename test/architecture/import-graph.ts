/** Who imports whom in `src/`, or in the page's `view/src/`, read with the TypeScript parser. */

import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import ts from "typescript";

export interface Import {
  /** The importing file, relative to `src/`. */
  readonly from: string;
  /** A file relative to `src/`, as `.ts` (a `.tsx` too), or the name of a package (`apache-arrow`, `node:fs`). */
  readonly to: string;
  /** False for `import type`, which leaves no trace in the program. */
  readonly atRunTime: boolean;
  /** True for `import()`. */
  readonly lazy: boolean;
  /** True for an import of the platform (`#…`), which leads to one of several files: there is an edge to each of them. */
  readonly byCondition: boolean;
}

const { imports: platforms }: { imports: Record<string, Record<string, string>> } = JSON.parse(
  readFileSync("package.json", "utf8"),
);

/** All files below `folder`, relative to it, sorted; a folder that is absent has none. */
export function listFiles(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => posix.relative(folder, posix.join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|\/)(node_modules|__pycache__)\//.test(path))
    .sort();
}

export function readImports(root: string): Import[] {
  return listFiles(root, /\.tsx?$/).flatMap((file) => importsOf(file, readFileSync(posix.join(root, file), "utf8")));
}

/** The imports, re-exports, `import()` calls and `import("…")` types of one source text. */
export function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, atRunTime: boolean, lazy: boolean) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const variants = platforms[specifier.text];
    if (variants === undefined) {
      found.push({
        from: file.replace(/x$/, ""),
        to: resolve(file, specifier.text),
        atRunTime,
        lazy,
        byCondition: false,
      });
      return;
    }
    for (const path of Object.values(variants)) {
      found.push({ from: file, to: posix.relative("src", path), atRunTime, lazy, byCondition: true });
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, node.importClause?.isTypeOnly !== true, false);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, !node.isTypeOnly, false);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, false, false);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], true, true);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
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
  const chains = new Map<string, string[]>(entries.map((entry) => [entry, [entry]]));
  for (const [file, chain] of chains) {
    for (const edge of imports) {
      if (edge.from === file && edge.atRunTime && !edge.lazy && !chains.has(edge.to)) {
        chains.set(edge.to, [...chain, edge.to]);
      }
    }
  }
  return chains;
}
