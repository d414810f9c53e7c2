/** The arguments and options of `annarrow query`. */

import type { Command } from "commander";
import type { QueryFlags } from "../actions/query.js";
import { type CliContext, INPUT } from "../context/context.js";
import { createChoiceOption } from "../options/choice.js";
import { addEngineOptions } from "../options/engine-options.js";
import { addExamples } from "../options/examples.js";
import { SAFE_TEXT } from "../options/output-options.js";
import { QUERY_FORMATS } from "../options/query-format.js";

const EXAMPLES = `\
  annarrow query pbmc.h5ad "select cell_type, count(*) from obs group by 1"
  annarrow query pbmc.h5ad "select cell_type, avg(value) from obs join gene('CD3E') using (row) group by 1"
  annarrow query pbmc.h5ad "select * from var" --format csv | head
  annarrow query pbmc.h5ad "copy (select * from obs where age > 60) to 'old.parquet'"
  annarrow query pbmc.h5ad "select * from obs join 'donors.csv' using (donor)" --files
  annarrow query a.h5ad b.h5ad "select count(*) from a.obs join b.obs using (_index)"
  annarrow query 'runs/*.h5ad' "select filename, count(*) from obs group by 1"
  annarrow query pbmc.h5ad "select * from X where row < 10" --explain
  annarrow query pbmc.h5ad`;

const NOTES = `\
Tables have the names that "show tables" lists; names with a slash stand in double quotes: "obsm/X_umap". What describes rows and columns of the matrix also has their positions, as row and col; columns of the file that are called row, col or value are row_1, col_1 or value_1. A statement that names both row and col sees a dense matrix as its non-zeros: row, col, value. gene('CD3E') is a table of row and value over all cells, cells('AAAC-1', 'AAAG-1') one of row, col and value over all genes, zeros included.

Without a statement, a shell is opened on a terminal; elsewhere statements are read from stdin. Several files have their names before the dot: a.obs of a.h5ad, one.obs of one=runs/1.h5ad. A pattern in quotes, or --union, makes one table of the tables of all files, with a column filename.`;

export function defineQuery(command: Command, context: CliContext): void {
  command
    .usage("[options] <file...> [sql]")
    .argument("<file...>", `${INPUT}; name=file gives it a name; behind the files, statements in DuckDB's SQL`)
    .addOption(
      createChoiceOption(
        "--format <format>",
        "form of the answer (default: table, or by the extension of -o)",
        QUERY_FORMATS,
      ),
    )
    .option("-o, --output <file>", "write to a file instead of stdout")
    .option("--overwrite", "replace what is there")
    .option("--safe-text", SAFE_TEXT)
    .option("--explain", "tell what would be read of each table, and why, instead of the answer")
    .option("--file <file>", "read the statements from a file")
    .option("--union", "the tables of all files as one table each, with a column filename")
    .option("--files", "let statements name files of tables: from 'donors.csv'")
    .option(
      "--cache",
      "copy matrices by genes, as annarrow index does, and keep what DuckDB reads of large ones for later statements",
    )
    .action(async (args: string[], flags: QueryFlags) => {
      const { query } = await import("../actions/query.js");
      await query(args, flags, context);
    });
  addEngineOptions(command);
  addExamples(command, EXAMPLES, NOTES);
}
