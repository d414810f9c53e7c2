/** The files of a query with the names that statements have for them. */

import { existsSync } from "node:fs";
import { UsageError } from "../context/failure.js";
import { expandedInputs } from "../files/file-pattern.js";

/** A file, and the name before the dot in `name.obs`. */
export interface NamedInput {
  readonly name: string;
  readonly path: string;
}

export interface QueryInputs {
  readonly inputs: readonly NamedInput[];
  /** Whether the tables of all files are one table each, with a column `filename`. */
  readonly union: boolean;
}

const STARTS =
  /^[\s(]*(select|from|with|values|table|show|describe|desc|summarize|copy|create|insert|update|delete|drop|alter|set|pragma|explain|call|pivot|unpivot|attach|install|load)\b/i;

/**
 * Divides the arguments into files and the statement, which is the last one: a text that begins as statements do, or has
 * spaces, and is the name of no file.
 */
export function filesAndStatement(args: readonly string[]): { files: readonly string[]; sql: string | null } {
  const last = args.at(-1) ?? "";
  const isStatement = args.length > 1 && !existsSync(last) && (STARTS.test(last) || /\s/.test(last) || last === "");
  return isStatement ? { files: args.slice(0, -1), sql: last } : { files: args, sql: null };
}

/**
 * The files with their names: `name=path`, else the name of the file without what follows its first dot. With a pattern, or
 * with `union`, files have their paths for names.
 * @throws {UsageError} where two files have one name.
 * @throws {NotFoundError} for a pattern that matches nothing.
 */
export async function queryInputs(files: readonly string[], union: boolean): Promise<QueryInputs> {
  const { paths, matched } = await expandedInputs(files);
  if (matched || union) return { inputs: [...new Set(paths)].map((path) => ({ name: path, path })), union: true };
  const inputs = files.map(namedInput);
  const seen = new Map<string, string>();
  for (const { name, path } of inputs) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      throw new UsageError(
        `${other} and ${path} both have the name "${name}": give names, as one=${other} two=${path}, or ask them as one with --union`,
      );
    }
    seen.set(name.toLowerCase(), path);
  }
  return { inputs, union: false };
}

function namedInput(text: string): NamedInput {
  const named = /^([\p{L}_][\p{L}\p{N}_]*)=(.+)$/u.exec(text);
  if (named !== null && !existsSync(text)) return { name: named[1], path: named[2] };
  const last =
    text
      .replace(/[?#].*$/, "")
      .split(/[/\\]/)
      .findLast((segment) => segment !== "") ?? text;
  return { name: last.replace(/(?!^)\..*$/, ""), path: text };
}
