/**
 * Implements `gene('CD3E')` and `cells('AAAC-1')` in statements. They return the values of a gene, or of cells, as
 * tables.
 */

import { DataType, type Field } from "apache-arrow";
import { DatasetAxes } from "../../api/dataset-axes.js";
import type { Dataset } from "../../model/dataset.js";
import { InvalidInputError, isAnnarrowError } from "../../model/errors.js";
import { quoteSqlName } from "../../sinks/duckdb/engine.js";
import { findRelationStarts } from "../relations.js";
import { isName, keyword, parseQuotedText, symbol, type Token } from "../tokens.js";

/** A function call that is used in place of a table, at the tokens [start, end). */
export interface VectorCall {
  readonly function: "gene" | "cells";
  readonly start: number;
  readonly end: number;
  /** The file before the dot, in lower case; null if there is none. */
  readonly file: string | null;
  readonly names: readonly string[];
  readonly layer: string | null;
  /** Whether an alias follows the call. */
  readonly isNamed: boolean;
}

/**
 * Returns the calls of `gene` and `cells` in a statement.
 * @throws {InvalidInputError} for arguments other than text in single quotes.
 */
export function parseVectorCalls(tokens: readonly Token[]): readonly VectorCall[] {
  const calls: VectorCall[] = [];
  for (const start of findRelationStarts(tokens)) {
    const at = symbol(tokens[start + 1]) === "." ? start + 2 : start;
    const called = keyword(tokens[at]);
    if ((called !== "gene" && called !== "cells") || symbol(tokens[at + 1]) !== "(") continue;
    const end = tokens.findIndex((token, i) => i > at && symbol(token) === ")");
    const { names, layer } = argumentsOf(called, tokens.slice(at + 2, end < 0 ? tokens.length : end));
    const file = at > start ? tokens[start].text.toLowerCase() : null;
    calls.push({ function: called, start, end: end + 1, file, names, layer, isNamed: isAlias(tokens[end + 1]) });
  }
  return calls;
}

function argumentsOf(called: string, tokens: readonly Token[]) {
  const names: string[] = [];
  let layer: string | null = null;
  for (let i = 0; i < tokens.length; ) {
    if (keyword(tokens[i]) === "layer" && symbol(tokens[i + 1]) !== ",") {
      const value = tokens.findIndex((token, k) => k > i && parseQuotedText(token) !== null);
      layer = parseQuotedText(tokens[value]) ?? "";
      i = value < 0 ? tokens.length : value + 1;
    } else {
      const name = parseQuotedText(tokens[i++]);
      if (name === null) throw unknownArguments(called);
      names.push(name);
    }
    if (i < tokens.length && symbol(tokens[i++]) !== ",") throw unknownArguments(called);
  }
  if (names.length === 0 || layer === "" || (called === "gene" && names.length > 1)) throw unknownArguments(called);
  return { names, layer };
}

function unknownArguments(called: string): InvalidInputError {
  const [names, example] = called === "gene" ? ["one name", "gene('CD3E')"] : ["names", "cells('AAAC-1', 'AAAG-1')"];
  return new InvalidInputError(
    `${called} takes ${names} in single quotes: ${example}, of a layer ${example.replace(")", ", layer := 'counts')")}`,
  );
}

const AFTER = new Set(
  "where group order having limit offset qualify window union intersect except on using join inner left right full cross natural asof positional anti semi select sample tablesample".split(
    " ",
  ),
);

/** Whether the token is an alias of the preceding table. */
export function isAlias(token: Token | undefined): boolean {
  return token !== undefined && isName(token) && !AFTER.has(keyword(token));
}

/** Columns of `var` that contain gene names. They are used for files whose index contains other identifiers. */
const SYMBOLS =
  /^(gene_?)?(symbols?|names?|short_names?)$|^(feature|hgnc|mgi)_?(name|symbol)s?$|^genes?$|^feature_names?$/i;

/**
 * Builds the query for a call on the tables of a dataset: `row` and `value` for a gene over all cells, or `row`, `col`
 * and `value` for cells over all genes. Zeros that are not stored are included, and duplicate entries are added up. A
 * mean therefore covers all cells, as with a dataset's methods `gene` and `cells`.
 * @param tableName returns the DuckDB name of a table in the dataset.
 * @throws {NotFoundError} for unknown names and layers.
 */
export async function createVectorQuery(
  dataset: Dataset,
  call: Pick<VectorCall, "function" | "names" | "layer">,
  tableName: (name: string) => string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const axes = await DatasetAxes.of(dataset, dataset.tables);
  const called = call.function === "gene" ? "var" : "obs";
  const element = axes.matrix(call.layer ?? undefined).name;
  const positions = [...new Set(await positionsOf(axes, dataset, call, signal))].join(", ");
  const [axis, other] = called === axes.main.rows ? ["row", "col"] : ["col", "row"];
  const { sum, zero } = valuesInSql(dataset.table(element).schema.fields);
  const keys = called === "obs" ? "row, col" : other;
  const stored = `select ${keys}, ${sum} as value from ${quoteSqlName(tableName(element))} where ${axis} in (${positions}) group by ${keys}`;
  const length = axes.length(called === "obs" ? "var" : "obs");
  const along = `(select cast(range as integer) as ${other} from range(${length}))`;
  const all = called === "obs" ? `(select unnest([${positions}]) as ${axis}) cross join ${along}` : along;
  return `select ${keys}, coalesce(value, ${zero}) as value from ${all} left join (${stored}) using (${keys})`;
}

/** Returns SQL for the sum of a matrix's values, cast to the values' type, and for zero in the same type. */
function valuesInSql(fields: readonly Field[]): { readonly sum: string; readonly zero: string } {
  let type: DataType | undefined = fields.at(-1)?.type;
  while (type?.children && type.children.length > 0) type = type.children.at(-1)?.type;
  if (DataType.isBool(type)) return { sum: "bool_or(value)", zero: "false" };
  if (DataType.isFloat(type)) {
    const name = type.ArrayType === Float64Array ? "double" : "float";
    return { sum: `cast(sum(value) as ${name})`, zero: `cast(0 as ${name})` };
  }
  if (!DataType.isInt(type)) return { sum: "any_value(value)", zero: "null" };
  const name = `${type.isSigned ? "" : "u"}${{ 8: "tinyint", 16: "smallint", 32: "integer", 64: "bigint" }[type.bitWidth]}`;
  return { sum: `cast(sum(value) as ${name})`, zero: `cast(0 as ${name})` };
}

/** Finds the positions of names in the index; for genes, also in a column of gene symbols. */
async function positionsOf(
  axes: DatasetAxes,
  dataset: Dataset,
  { function: called, names }: Pick<VectorCall, "function" | "names">,
  signal: AbortSignal | undefined,
): Promise<Int32Array> {
  if (called === "cells") return axes.positions("obs", names, signal);
  const unknown = (error: unknown) => {
    if (isAnnarrowError(error, "NotFoundError")) return null;
    throw error;
  };
  const found = await axes.positions("var", names, signal).catch(unknown);
  if (found !== null) return found;
  const fields = dataset.tables.get(axes.main.var)?.schema.fields ?? [];
  for (const { name } of fields.filter((field) => SYMBOLS.test(field.name))) {
    const bySymbol = await axes.positions("var", names, signal, name).catch(unknown);
    if (bySymbol !== null) return bySymbol;
  }
  return axes.positions("var", names, signal);
}
