/**
 * The files that dist/ has beside its entries. A bundler left alone makes a file for every set of importers, so that a
 * short command loads two hundred of them. Here modules that are needed together share a file.
 *
 * A group has the modules that match, and all that they import, as far as no group above has it. Files therefore import
 * only files of groups above their own. What no group has is in a file per set of importers. test/chunks.test.ts says what
 * must stay apart: Node from pages, apache-arrow from what does without it.
 */

import { relative } from "node:path";

/** Modules of the core, or of a package where the name begins with `packages/`. */
const group = (name, ...modules) => {
  const paths = modules.map((module) => (module.startsWith("packages/") ? module : `src/${module}`));
  const own = new RegExp(`^(${paths.join("|")})\\.ts$`);
  return { name, test: (id) => own.test(relative(".", id).replaceAll("\\", "/")) };
};

const packages = (name, ...of) => ({
  name,
  test: new RegExp(`node_modules/(${of.join("|")})/`.replaceAll("/", "[\\\\/]")),
});

/** The packages in the files of the command line, which stand before all other groups. */
export const packagesOfCommands = [
  packages("flatbuffers", "flatbuffers"),
  packages("arrow-package", "apache-arrow", "tslib"),
];

/**
 * Groups of the command line alone, before all others: packages, and what `annarrow --help` loads. cli/command-line.ts is in
 * no group: it waits for the command, so that a file that imports it would wait for itself.
 */
export const firstOfCommands = [
  ...packagesOfCommands,
  group(
    "help",
    "packages/cli/src/command-table",
    "packages/cli/src/context/(failure|usage-text)",
    "packages/cli/src/options/choice",
    "model/version",
  ),
];

/** Groups of the command line alone, behind all others: what commands share. What a command does is a file of its own. */
export const lastOfCommands = [
  group("options", "packages/cli/src/context/.*", "packages/cli/src/options/.*"),
  group("inputs", "packages/cli/src/files/(file-pattern|open-input|text-lines)"),
];

export const groups = [
  // What nearly all modules need, and that is free of Node.
  group(
    "model",
    "model/[^.]*",
    "packages/cloud/src/(register|objects/(address|options))",
    "containers/open/containers",
    "api/display/plain",
    "formats/(compression|format|output|register-format|store-container|write-bpcells)",
    "parquet/write/compression",
    "packages/published/src/register",
    "io/schemes/registry",
    "selection/chosen-elements",
    "tables/axes",
  ),
  group(
    "system.node",
    "model/system-error.node",
    "platform/thread-arguments.node",
    "packages/(cloud/src|flight/src/flight|published/src)/register.node",
  ),
  group(
    "reading",
    "api/open",
    "arrow/(iso-time|join)",
    "containers/tree/.*",
    "formats/(formats|with-stores)",
    "kernels/codecs/codecs",
    "kernels/dense/place-reversed",
    "kernels/(text|values)/.*",
    "readers/anndata/read",
    "io/schemes/remote-output",
    "sinks/duckdb/engine",
    "io/sources/(file-bytes|kept-blocks|memory|seen-files)",
    "tables/axes",
  ),
  // What the first tables of most files do without: their columns need no scan of a matrix, no part, no fragments.
  group("matrices", "jobs/rows/.*", "jobs/run/(axis-sums|matrix-scans)"),
  // Parts of datasets, and what else comes after the first table: renamed elements, folders of tables, targets.
  group(
    "parts",
    "api/(dataset-axes|renamed-dataset)",
    "query/gene-index/(companion|few-entries)",
    "containers/picked/.*",
    "jobs/fragments/.*",
    "jobs/plan/(part-plan|used-categories)",
    "jobs/reorder/split-plan",
    "readers/tables/open",
    "tables/(part-plans|reshaped-tables)",
    "io/targets/(memory|store|target)",
  ),
  group("workers", "jobs/workers/(pool|pooled-parts)"),
  group("hdf5", "containers/hdf5/container"),
  group("zarr", "containers/zarr/open"),
  group("reading.node", "api/open.node", "io/sources/(directory|file).node", "io/targets/file.node"),
  group(
    "writing",
    "api/(convert|convert-to-store|reordered|select|split-elements|write)",
    "query/gene-index/(matrices|write-matrix)",
    "containers/arrays/write/container",
    "formats/conversion/anndata",
    "formats/(fragments|write-store)",
    "jobs/reorder/row-copies",
    "sinks/directory/table-files",
    "tables/(encoded-table|given/table-forms)",
    "packages/union/src/store",
    "writers/anndata/write",
    "tables/sparse/repositioned-rows",
    "writers/bpcells/matrix",
  ),
  group("writing-hdf5", "containers/hdf5/write/container"),
  group("writing-zarr", "containers/zarr/write/container"),
  group("parquet", "parquet/write/.*", "sinks/parquet/plain-parquet"),
  group("ipc", "ipc/write/(encoder|message|schema)"),
  group("concat", "api/where", "concat/concat"),
  group(
    "disk.node",
    "api/(companion|convert|reopened-input|split|write).node",
    "jobs/external-sort/spill.node",
    "io/targets/directory.node",
    "io/targets/unnamed-file.node",
    "packages/union/src/named-content.node",
  ),
  // What needs apache-arrow comes last: no group above has it. First what shows a stored table.
  group("apache-arrow", "tables/planned-table"),
  group(
    "arrow-tables",
    "arrow/apache/[^.]*",
    "sinks/(stream|duckdb/held-types)",
    "tables/(column-data-table|files/file-table|table-in-memory)",
  ),
  group(
    "sinks",
    "api/table-functions",
    "query/load-into-duckdb",
    "sinks/(duckdb/load-table|ipc/ipc|parquet/parquet|text/csv)",
  ),
];
