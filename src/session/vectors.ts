/** `gene('CD3E')` and `cells('AAAC-1')` in a statement: the entries of a gene, or of some cells, as tables. */

import { DatasetAxes } from "../api/dataset-axes.js";
import type { Dataset } from "../model/dataset.js";
import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import { relationStarts } from "../query/relations.js";
import { isName, keyword, quotedText, symbol, type Token } from "../query/tokens.js";
import { quotedName } from "../sinks/duckdb/engine.js";

/** A call in the place of a table, the tokens [start, end). */
export interface VectorCall {
  readonly function: "gene" | "cells";
  readonly start: number;
  readonly end: number;
  /** The file before the dot, in small letters; null where there is none. */
  readonly file: string | null;
  readonly names: readonly string[];
  readonly layer: string | null;
  /** Whether a name for the table follows. */
  readonly isNamed: boolean;
}

/**
 * The calls of `gene` and `cells` in a statement.
 * @throws {InvalidInputError} for other arguments than text in single quotes.
 */
export function vectorCalls(tokens: readonly Token[]): readonly VectorCall[] {
  const calls: VectorCall[] = [];
  for (const start of relationStarts(tokens)) {
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
      const value = tokens.findIndex((token, k) => k > i && quotedText(token) !== null);
      layer = quotedText(tokens[value]) ?? "";
      i = value < 0 ? tokens.length : value + 1;
    } else {
      const name = quotedText(tokens[i++]);
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

/** Whether a name for the table before follows. */
export function isAlias(token: Token | undefined): boolean {
  return token !== undefined && isName(token) && !AFTER.has(keyword(token));
}

/** Columns of `var` that hold names of genes where the index has other ones. */
const SYMBOLS =
  /^(gene_?)?(symbols?|names?|short_names?)$|^(feature|hgnc|mgi)_?(name|symbol)s?$|^genes?$|^feature_names?$/i;

/**
 * The query of a call, over the tables of a dataset: `row` and `value` of a gene, `row`, `col` and `value` of cells.
 * @param tableName the name that DuckDB has for a table of the dataset.
 * @throws {NotFoundError} for names and layers that are not there.
 */
export async function vectorQuery(
  dataset: Dataset,
  call: Pick<VectorCall, "function" | "names" | "layer">,
  tableName: (name: string) => string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const axes = await DatasetAxes.of(dataset, dataset.tables);
  const called = call.function === "gene" ? "var" : "obs";
  const matrix = quotedName(tableName(axes.matrix(call.layer ?? undefined).name));
  const positions = await positionsOf(axes, dataset, call, signal);
  const [axis, other] = called === axes.main.rows ? ["row", "col"] : ["col", "row"];
  const columns = called === "obs" ? "row, col, value" : `${other}, value`;
  return `select ${columns} from ${matrix} where ${axis} in (${positions.join(", ")})`;
}

/** The positions of names in the index; of genes also in a column of symbols. */
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
