/** The names that files of `src/` export. */

import { readFileSync } from "node:fs";
import ts from "typescript";
import { listFiles } from "./import-graph.js";

/** Names of types by the files that declare and export them. */
export function exportedTypes(root: string): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const file of listFiles(root, /\.ts$/)) {
    for (const name of exportedTypesOf(file, readFileSync(`${root}/${file}`, "utf8"))) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  return files;
}

/** Of one source text; what it exports of another file is declared there. */
export function exportedTypesOf(file: string, text: string): string[] {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    const isType =
      ts.isClassDeclaration(statement) || ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    if (!isType || statement.name === undefined) return [];
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
    return isExported ? [statement.name.text] : [];
  });
}

/** Names of all that files declare and export: functions, constants, classes and types. */
export function exportedNames(root: string): string[] {
  return listFiles(root, /\.ts$/)
    .flatMap((file) => {
      const source = ts.createSourceFile(file, readFileSync(`${root}/${file}`, "utf8"), ts.ScriptTarget.Latest);
      return source.statements.flatMap((statement) => {
        if (!ts.canHaveModifiers(statement)) return [];
        if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
        if (ts.isVariableStatement(statement)) {
          return statement.declarationList.declarations.flatMap(({ name }) =>
            ts.isIdentifier(name) ? [name.text] : [],
          );
        }
        if (ts.isFunctionDeclaration(statement)) return statement.name === undefined ? [] : [statement.name.text];
        return [];
      });
    })
    .concat([...exportedTypes(root).keys()]);
}
