/**
 * Writes docs/conversions.md: what each pair of formats keeps, converts and refuses, as the rules of src/formats/conversion/ say.
 * `--check` writes nothing and fails where the committed page is another.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { importBundled } from "./import-bundled.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, "docs/conversions.md");

const { conversions, ELEMENTS, listFormats } = await importBundled(
  "src/formats/formats.ts",
  "src/formats/conversion/view/rules.ts",
  "src/model/formats/registry.ts",
  "packages/published/src/register.ts",
);

/** Formats of one annotated matrix. A MuData has several; plain arrays and tables are none, and have a `content` instead. */
const FORMATS = listFormats().filter(({ modalities, content }) => modalities !== "always" && content === undefined);

/** What a format is called as a target: of 10x Genomics, only fragments are written. */
const targetTitle = ({ name, title }) => (name === "10x" ? "10x fragments" : title);

/** Fates in the order in which they are counted. */
const FATES = ["kept", "converted", "refused"];

const INTRO = `# Conversions between formats

Made by \`node scripts/conversions-docs.mjs\` from the rules of the conversions (\`src/formats/conversion/\`); tests compare the rules with real conversions.

\`annarrow convert IN OUT\` and \`write(OUT, data)\` go from each format of the table to each other. A conversion has two steps: the tables of the source become the elements of an AnnData (the annotated view), and these become the tables of the target. Cells are observations, genes are variables. Within one format nothing changes: \`.h5ad\`, \`.zarr\` and \`.zarr.zip\` are all AnnData.

- **kept**: the values stay equal.
- **converted**: the values have another form, and a warning says so.
- **refused**: the target has no place or no form for them. An error names the element, and nothing is written; with \`--lossy\` a warning names it, and all else is written.

The table counts kinds of elements; a link leads to their list. Where a field is empty, the target takes none of them.
`;

const RULES = `A MuData is converted as an AnnData is, one modality at a time (\`--modality rna\`), without what lies beside the modalities; R takes all of it.

## What \`--lossy\` does

One rule holds in every written format, for \`write\`, \`convert\` and the command line: with \`--lossy\` each element that is refused is left out, or converted as this table says. A warning names it, in the result's \`warnings\` and on the standard error. \`--table\`, \`--elements\` and \`--drop\` choose what is written instead ([parts.md](parts.md)).

| problem | with \`--lossy\` |
|---|---|
| an element that has no place in the format, or a type that the format lacks | left out; in a dataframe, only the column |
| a name that the format cannot have: empty, \`.\`, \`..\`, with \`/\` or NUL | left out, the element or the column; in MATLAB a variable is written under a valid name |
| an element that cannot be read: a damaged chunk, an unknown encoding | left out |
| missing values in Loom, and among floats in AnnData and BPCells | numbers that stand for them: NaN, -1, or the like; empty text |
| times in AnnData and Loom | ISO 8601 text |
| enums in Zarr | a categorical of their names |
| integers beyond 2^53 in sparse matrices of MATLAB, floats beyond Float32 in BPCells if Float32 is asked for | rounded |
| two entries at one place of a sparse matrix of MATLAB | added up |
| objects of MATLAB without their open file | their columns |
| a table with nested columns, in CSV | left out |

Other problems stop a conversion in any case: tables that do not fit together, invalid options, a full disk, a folder without permission, a file or a network that fails or changes while it is read, and no element left to write. So does a choice that only the caller can make: one of several matrices, one modality of a MuData, one table for a file that holds one. A stream of batches is read only once. If one is among the tables, or if the output is a store of keys without \`delete\`, a problem that shows only during the write is an error even with \`--lossy\`.

## What else holds for all

**Chosen tables** (\`--table X\`, \`write(OUT, { X: data.table("X") })\`) keep the names of their rows and columns, within one format and between two: only the index comes with them from their dataset, unless a table of names (\`obs\`, \`row_attrs\`, \`row_names\`) is given. Without names, the index counts from 0, and a warning says so. Tables from two datasets with different names for one axis are an error.

**The main matrix.** \`--matrix layers/counts\` writes another matrix than the main one as the matrix of the target. \`--X layers/counts\` makes a layer the main matrix first, in every format that has layers ([parts.md](parts.md)).

**MuData.** \`--as rna\` writes another dataset as the modality \`rna\` of a MuData; a modality has the elements of an AnnData.

**R.** An \`.rds\` is written as a SingleCellExperiment (\`--to sce\`), which the lists below mean, or as a Seurat object (\`--to seurat\`, \`--seurat v5\`). The modalities of a MuData become alternative experiments, or assays ([r.md](r.md)).

**10x Genomics.** Matrices of Cell Ranger are read, fragments are also written ([cellranger.md](cellranger.md)).

**Other HDF5 and Zarr.** Files that are none of these formats (any HDF5 or Zarr, NetCDF-4, pandas' HDFStore, PyTables) have no cells and genes: their arrays and frames go to tables (Parquet, Arrow, CSV, DuckDB) and into each other. The tables of any format go to such files, too (\`--to hdf5\`, \`--to plain.zarr\`). [hdf5.md](hdf5.md#writing) says what keeps its form, and what is refused.

**Tables.** A directory of Parquet or Arrow files (\`--to parquet\`, \`--to arrow\`) has the names of the format from which it was exported; its \`manifest.json\` names the format. It is converted like a file of this format. Tables of your own (\`write\`, \`--X\`, \`--obs\`, \`--element\`) have the names of the target, or of any other format.
`;

/** A place in a format; with what of it is meant, as "obs, var: missing values", where several elements lie there. */
function told(element, rules) {
  const { own } = rules[element];
  const [, what] = element.split(": ");
  const isShared = Object.keys(rules).some((other) => other !== element && rules[other].own === own);
  return isShared && what !== undefined ? `${own}: ${what}` : own;
}

/** The fate of every element of the format `from`. */
function rows(elements, from, to) {
  const found = [];
  for (const element of elements) {
    const [source, target] = [from.rules[element], to.rules[element]];
    if (source.read === null) continue;
    const fate = target.write === "refused" ? "refused" : source.read === "converted" ? "converted" : target.write;
    found.push({
      own: told(element, from.rules),
      becomes: fate === "refused" ? "" : target.own,
      fate,
      // What is refused is not read: only the target says why.
      notes: fate === "refused" ? [target.writing] : [source.reading, target.writing],
    });
  }
  for (const { own, note } of from.beyond) found.push({ own, becomes: "", fate: "refused", notes: [note] });
  return found;
}

/** Names as code: \`obsm/*, varm/*: arrays\`. */
function marked(text) {
  const [names, ...what] = text.split(": ");
  const code = names.split(", ").map((name) => (/[\s`]/.test(name) ? name : `\`${name}\``));
  return [code.join(", "), ...what].join(": ");
}

const anchor = (text) =>
  text
    .toLowerCase()
    .replace(/[^\w ]/g, "")
    .replaceAll(" ", "-");

function section(title, found) {
  const lines = found.map(({ own, becomes, fate, notes }) => {
    const said = [...new Set(notes)].filter((note) => note !== undefined).join("; ");
    return `| ${marked(own)} | ${becomes === "" ? "" : marked(becomes)} | ${fate} | ${said} |`;
  });
  return [`## ${title}`, "", "| element | becomes | values are | |", "|---|---|---|---|", ...lines, ""].join("\n");
}

function counts(found) {
  return FATES.flatMap((fate) => {
    const count = found.filter((row) => row.fate === fate).length;
    return count === 0 ? [] : [`${count} ${fate}`];
  }).join(", ");
}

async function conversionsPage() {
  const formats = Object.fromEntries(
    await Promise.all(FORMATS.map(async ({ name }) => [name, await conversions.of(name)])),
  );
  const overview = ["| from \\ to |", "|---|"];
  const sections = [];
  for (const target of FORMATS) {
    overview[0] += ` ${targetTitle(target)} |`;
    overview[1] += "---|";
  }
  for (const source of FORMATS) {
    let line = `| **${source.title}** |`;
    for (const target of FORMATS) {
      const title = `${source.title} to ${targetTitle(target)}`;
      const found = source === target ? [] : rows(ELEMENTS, formats[source.name], formats[target.name]);
      const isNothing = found.every(({ fate }) => fate === "refused");
      line += source === target ? " as it is |" : isNothing ? " |" : ` [${counts(found)}](#${anchor(title)}) |`;
      if (!isNothing) sections.push(section(title, found));
    }
    overview.push(line);
  }
  return [INTRO, overview.join("\n"), "", RULES, ...sections].join("\n");
}

const text = await conversionsPage();
if (!process.argv.includes("--check")) writeFileSync(page, text);
else if (readFileSync(page, "utf8") !== text) {
  process.stderr.write("docs/conversions.md is not what the rules say: run node scripts/conversions-docs.mjs\n");
  process.exitCode = 1;
}
