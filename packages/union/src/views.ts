/** Generates SQL statements that other engines can run to read a union's files. */

import { quoteSqlName, quoteSqlText } from "annarrow/core/sinks";
import type { UnionManifest, UnionTable } from "./manifest-document.js";

/** Engines for which SQL can be generated. */
export type ViewEngine = "duckdb" | "spark";

/**
 * Returns statements that create a view for each table, under the table's name. The views read the files of one commit.
 * @param folder path or address of the union, where engines find its files.
 */
export function createViewsSql({ tables }: UnionManifest, folder: string, engine: ViewEngine): string {
  const viewOf = VIEWS[engine];
  const some = tables.filter(({ parts }) => parts.length > 0);
  return some.map((table) => `${viewOf(table, folder)};\n`).join("\n");
}

const VIEWS: Record<ViewEngine, (table: UnionTable, folder: string) => string> = {
  duckdb(table, folder) {
    const files = table.parts.map(({ file }) => quoteSqlText(`${folder}/${file}`.replace(/[*?[]/g, "[$&]")));
    const list = `[\n  ${files.join(",\n  ")}\n]`;
    const options = mayLackColumns(table) ? ", union_by_name = true" : "";
    return `create or replace view ${quoteSqlName(table.name)} as\nfrom read_parquet(${list}${options})`;
  },
  // Spark takes one path, in which alternatives are listed in braces.
  spark(table, folder) {
    const escaped = (path: string) => path.replace(/[*?[\]{},\\]/g, "\\$&");
    const path = `${escaped(folder)}/{${table.parts.map(({ file }) => escaped(file)).join(",")}}`;
    const options = mayLackColumns(table) ? ", mergeSchema 'true'" : "";
    const name = table.name.replaceAll("`", "``");
    return `create or replace temporary view \`${name}\`\nusing parquet options (path '${path.replace(/['\\]/g, "\\$&")}'${options})`;
  },
};

/** True if some files may lack columns that later commits added. */
function mayLackColumns({ kind, parts }: UnionTable): boolean {
  return kind === "dataframe" && parts.length > 1;
}
