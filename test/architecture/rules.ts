/** The import rules of ARCHITECTURE.md as a table. */

import type { Import } from "./import-graph.js";

export interface Rule {
  readonly rule: string;
  /** True for an import that breaks the rule. */
  readonly broken: (edge: Import) => boolean;
  /** A file and a line that break it, so that a rule that catches nothing is noticed. */
  readonly example: readonly [file: string, line: string];
}

const within =
  (...folders: string[]) =>
  (path: string) =>
    folders.some((folder) => path.startsWith(`${folder}/`));
const isOurs = (path: string) => path.endsWith(".ts");
const isNodeOnly = (path: string) =>
  ["node.ts", "published/node.ts"].includes(path) || path.startsWith("cli/") || path.endsWith(".node.ts");
const isVocabulary = (path: string) =>
  [
    ...["model/errors.ts", "model/json-object.ts", "model/nearest.ts", "model/option-names.ts"],
    "model/scheme-options.ts",
    "model/stored.ts",
    "model/system-error.node.ts",
  ].includes(path);
/** What formats say about themselves: names and ends of names, and no code of theirs. */
const isFormatName = within("model/formats");
const isTableOrError = (path: string) =>
  within("tables")(path) || ["model/dataset.ts", "model/table-metadata.ts"].includes(path) || isVocabulary(path);
/** All about R, which registers its container and its formats. */
const isOfR = (path: string) =>
  within(
    ...["r", "containers/rds"],
    ...["readers/r", "readers/h5seurat", "readers/bpcells/objects"],
    ...["writers/r", "writers/h5seurat", "writers/bpcells/objects"],
  )(path) ||
  /^(formats|model\/formats|conversion)\/(r|h5seurat|bpcells-rds)\.ts$/.test(path) ||
  ["readers/bpcells-slots.ts", "readers/seurat-names.ts"].includes(path) ||
  ["writers/distinct-names.ts", "writers/r-values.ts", "writers/seurat-names.ts"].includes(path);
/** `anndata` for `readers/anndata/obs.ts`, null for a file directly in `readers/`. */
const formatOf = (path: string) => /^(?:readers|writers)\/([^/]+)\//.exec(path)?.[1] ?? null;

/** Libraries that read or write a container or a table: each has one adapter. */
export const ENGINES = ["h5wasm", "parquet-wasm", "@duckdb/duckdb-wasm", "@grpc/grpc-js", "zarrita"];

/** Libraries of compression. */
export const CODECS = ["numcodecs", "@hpcc-js/wasm-zstd", "libdeflate"];

/** Packages that come along in dist/ (scripts/bundle.mjs), with their licences, and are no dependencies. */
export const BROUGHT_ALONG = ["@hpcc-js/wasm-zstd", "commander", "libdeflate"];

export const RULES: readonly Rule[] = [
  {
    rule: "platform/ knows nothing of the library",
    broken: ({ from, to }) => within("platform")(from) && isOurs(to) && !within("platform")(to),
    example: ["platform/web.ts", 'import { inflate } from "../kernels/codecs/deflate/inflate.js";'],
  },
  {
    rule: "kernels/ know only errors, stored values, the platform and each other",
    broken: ({ from, to }) =>
      within("kernels")(from) && isOurs(to) && !within("kernels", "platform")(to) && !isVocabulary(to),
    example: ["kernels/codecs/lzf.ts", 'import type { Container } from "../../containers/tree/container.js";'],
  },
  {
    rule: "http/ knows only errors and each other",
    broken: ({ from, to }) => within("http")(from) && isOurs(to) && !within("http")(to) && !isVocabulary(to),
    example: ["http/retry.ts", 'import { processConcurrently } from "../kernels/values/for-each-at-once.js";'],
  },
  {
    rule: "sources/ know only errors, stored values, options, ends of names, kernels, servers and each other",
    broken: ({ from, to }) =>
      within("sources")(from) &&
      isOurs(to) &&
      !within("sources", "http", "kernels")(to) &&
      !isVocabulary(to) &&
      !isFormatName(to),
    example: ["sources/zip.ts", 'import { openStore } from "../containers/zarr/open.js";'],
  },
  {
    rule: "schemes/ know only errors, options, what a dataset is, servers, sources and each other",
    broken: ({ from, to }) =>
      within("schemes")(from) &&
      isOurs(to) &&
      !within("schemes", "sources", "http")(to) &&
      to !== "model/dataset.ts" &&
      !isVocabulary(to),
    example: ["schemes/registry.ts", 'import { openCloudStore } from "../cloud/open-cloud-store.js";'],
  },
  {
    rule: "targets/ know only errors, stored values, kernels, the platform, schemes, servers, each other, and what a key is",
    broken: ({ from, to }) =>
      within("targets")(from) &&
      isOurs(to) &&
      !within("targets", "schemes", "http", "kernels", "platform")(to) &&
      !isVocabulary(to) &&
      to !== "sources/key.ts",
    example: ["targets/zip.ts", 'import type { ByteSource } from "../sources/source.js";'],
  },
  {
    rule: "sinks/ and writers/ know of targets/ only what a target is",
    broken: ({ from, to }) => within("sinks", "writers")(from) && within("targets")(to) && to !== "targets/target.ts",
    example: ["sinks/directory/tables.ts", 'import { mapTarget } from "../../targets/memory.js";'],
  },
  {
    rule: "containers/ know nothing of Arrow, formats and sinks",
    broken: ({ from, to }) =>
      within("containers")(from) &&
      (to === "apache-arrow" || within("arrow", "readers", "writers", "sinks", "jobs", "cli")(to)),
    example: ["containers/zarr/array.ts", 'import type { Schema } from "apache-arrow";'],
  },
  {
    rule: "what all containers have (containers/tree/) knows none of them, and of kernels/ only which codecs there are",
    broken: ({ from, to }) =>
      within("containers/tree")(from) &&
      ((within("kernels")(to) && !within("kernels/codecs")(to)) ||
        (within("containers")(to) && !within("containers/tree")(to))),
    example: ["containers/tree/container.ts", 'import type { Bp128Page } from "../../kernels/bp128/page.js";'],
  },
  {
    rule: "one container never imports another",
    broken: ({ from, to }) => {
      const folder = /^containers\/(hdf5|zarr|rds|arrays|tsv)\//;
      const [mine, other] = [folder.exec(from)?.[0], folder.exec(to)?.[0]];
      return mine !== undefined && other !== undefined && mine !== other;
    },
    example: ["containers/zarr/array.ts", 'import { filters } from "../hdf5/filters.js";'],
  },
  {
    rule: "only what registers R knows of it",
    broken: ({ from, to }) => isOfR(to) && !isOfR(from) && !within("published")(from),
    example: ["api/open.ts", 'import { openRds } from "../containers/rds/container.js";'],
  },
  {
    rule: "nothing but entries imports what registers formats",
    broken: ({ from, to }) => within("published")(to) && !within("published")(from) && from !== "cli/command-line.ts",
    example: ["formats/formats.ts", 'import "../published/register.js";'],
  },
  {
    rule: "arrow/ knows nothing of containers, sources, formats and sinks",
    broken: ({ from, to }) =>
      within("arrow")(from) && within("containers", "sources", "readers", "writers", "sinks", "cli")(to),
    example: ["arrow/sparse.ts", 'import type { Group } from "../containers/tree/container.js";'],
  },
  {
    rule: "in arrow/ only apache/ loads apache-arrow, and readers/ and writers/ do not at all",
    broken: ({ from, to, atRunTime }) =>
      to === "apache-arrow" &&
      atRunTime &&
      within("arrow", "readers", "writers", "sources")(from) &&
      !/^arrow\/apache\//.test(from),
    example: ["arrow/dense.ts", 'import { makeData } from "apache-arrow";'],
  },
  {
    rule: "what runs in a worker (jobs/, kernels/, containers/) loads no Arrow object",
    broken: ({ from, to, atRunTime }) =>
      within("jobs", "kernels", "containers")(from) &&
      atRunTime &&
      (to === "apache-arrow" || /^arrow\/apache\//.test(to)),
    example: ["jobs/plan/plan.ts", 'const arrow = await import("apache-arrow");'],
  },
  {
    rule: "jobs/ load encoders by import(), types aside",
    broken: ({ from, to, atRunTime, lazy }) =>
      within("jobs")(from) && within("parquet", "ipc")(to) && atRunTime && !lazy,
    example: ["jobs/run/runner.ts", 'import { rowGroupEncoder } from "../../parquet/write/row-group.js";'],
  },
  {
    rule: "what is below the engine (parquet/, ipc/, jobs/) knows no table, no format and no sink",
    broken: ({ from, to }) =>
      within("parquet", "ipc", "jobs")(from) && within("tables", "readers", "writers", "sinks", "cli")(to),
    example: ["parquet/write/file.ts", 'import type { StoredTable } from "../../tables/stored-table.js";'],
  },
  {
    rule: "readers/ and writers/ never import each other, sinks or the command line",
    broken: ({ from, to }) =>
      (within("readers")(from) && within("writers", "sinks", "cli")(to)) ||
      (within("writers")(from) && within("readers", "sinks", "cli")(to)),
    example: ["readers/loom/open.ts", 'import { NAMES } from "../../writers/loom/names.js";'],
  },
  {
    rule: "one format's folder never imports another's",
    broken: ({ from, to }) => {
      const [mine, other] = [formatOf(from), formatOf(to)];
      return mine !== null && other !== null && mine !== other;
    },
    example: ["readers/loom/open.ts", 'import { readScalar } from "../anndata/scalar.js";'],
  },
  {
    rule: "sinks/ import arrow/, kernels/, parquet/, ipc/, what a table is, errors and each other; types from anywhere",
    broken: ({ from, to, atRunTime }) =>
      within("sinks")(from) &&
      atRunTime &&
      isOurs(to) &&
      !within("arrow", "kernels", "parquet", "ipc", "sinks")(to) &&
      !isTableOrError(to),
    example: ["sinks/parquet/parquet.ts", 'import { openZarr } from "../../containers/zarr/open.js";'],
  },
  {
    rule: "parquet/ and ipc/ take columns and give bytes: they know Arrow's types, kernels, errors, what a file is and each other",
    broken: ({ from, to, atRunTime }) =>
      within("parquet", "ipc")(from) &&
      isOurs(to) &&
      !within("parquet", "ipc", "arrow", "kernels")(to) &&
      !isVocabulary(to) &&
      (atRunTime || !within("sources")(to)),
    example: ["ipc/read/messages-of.ts", 'import { checkRange } from "../../sources/memory.js";'],
  },
  {
    rule: "display/ is known to api/ and cli/ alone",
    broken: ({ from, to }) => within("display")(to) && !within("display", "api", "cli")(from),
    example: ["tables/planned-table.ts", 'import { tableText } from "../display/plain.js";'],
  },
  {
    rule: "external-sort/ knows columns, kernels, errors and stored values; its temporary file, how targets are cleaned up",
    broken: ({ from, to }) =>
      within("external-sort")(from) &&
      isOurs(to) &&
      !within("external-sort", "kernels")(to) &&
      !["arrow/column.ts", "arrow/type.ts", "arrow/value-words.ts"].includes(to) &&
      !isVocabulary(to) &&
      !(isNodeOnly(from) && within("targets")(to) && isNodeOnly(to)),
    example: ["external-sort/runs.ts", 'import type { StoredArray } from "../containers/container.js";'],
  },
  {
    rule: "conversion/ knows tables, columns and errors, no file and no format's reader or writer",
    broken: ({ from, to }) =>
      within("conversion")(from) &&
      isOurs(to) &&
      !within("conversion", "tables")(to) &&
      ![
        "arrow/column.ts",
        "arrow/text.ts",
        "arrow/type.ts",
        "model/dataset.ts",
        "model/errors.ts",
        "model/formats/registry.ts",
        "model/json-object.ts",
        "model/modalities.ts",
      ].includes(to),
    example: ["conversion/loom.ts", 'import { attributes } from "../readers/loom/attributes.js";'],
  },
  {
    rule: "readers/, writers/, jobs/ and what is below know nothing of conversions and of the modules of formats",
    broken: ({ from, to }) =>
      within("conversion", "formats")(to) &&
      /^[^/]+\//.test(from) &&
      !within("conversion", "formats", "api", "cli", "published", "r")(from),
    example: ["writers/loom/write.ts", 'import { loom } from "../../formats/loom.js";'],
  },
  {
    rule: "cloud/ knows only errors, kernels, servers, schemes, and the sources and targets of bytes",
    broken: ({ from, to }) =>
      within("cloud")(from) &&
      isOurs(to) &&
      !within("cloud", "http", "kernels", "schemes", "sources", "targets")(to) &&
      !isVocabulary(to),
    example: ["cloud/cloud-source.ts", 'import { openContainer } from "../containers/open/open-container.js";'],
  },
  {
    rule: "object stores are known to unions, the command line and what registers them",
    broken: ({ from, to }) =>
      within("cloud")(to) && !within("cloud", "union", "cli", "published")(from) && from !== "index.ts",
    example: ["api/open.ts", 'import { isCloudAddress } from "../cloud/objects/address.js";'],
  },
  {
    rule: "what registers (published/) is known to entries and the command line",
    broken: ({ from, to }) =>
      within("published")(to) &&
      !within("published", "cli")(from) &&
      !["index.ts", "node.ts", "view.ts"].includes(from),
    example: ["api/open.ts", 'import "../published/register.js";'],
  },
  {
    rule: "flight/ knows tables, what makes messages of them, errors, schemes, and the names of formats; no file and no format",
    broken: ({ from, to }) =>
      within("flight")(from) &&
      isOurs(to) &&
      !within("flight", "arrow", "sinks/flight", "ipc", "schemes")(to) &&
      !isTableOrError(to) &&
      !isFormatName(to),
    example: ["flight/open-flight.ts", 'import { openContainer } from "../containers/open/open-container.js";'],
  },
  {
    rule: "only entries, the command line and what registers them know of servers and connections",
    broken: ({ from, to }) =>
      within("serve", "flight")(to) &&
      !within("serve", "flight", "cli", "published", "view/server")(from) &&
      !within("sinks/flight")(from),
    example: ["formats/write-store.ts", 'import { startFlightServer } from "../flight/grpc-server.node.js";'],
  },
  {
    rule: "only query/ and session/ know the tokens of statements",
    broken: ({ from, to }) => !within("query", "session")(from) && to === "query/tokens.ts",
    example: ["view/positions.ts", 'import { parseSqlTokens } from "../query/tokens.js";'],
  },
  {
    rule: "nothing imports the command line",
    broken: ({ from, to }) => !within("cli")(from) && within("cli")(to),
    example: ["api/convert.ts", 'import { progressBar } from "../cli/progress.js";'],
  },
  {
    rule: "node:* only in node.ts, cli/ and *.node.ts",
    broken: ({ from, to }) => to.startsWith("node:") && !isNodeOnly(from),
    example: ["sources/file.ts", 'import type { Stats } from "node:fs";'],
  },
  {
    rule: "what is for Node alone is imported only by what is for Node alone, or by condition",
    broken: ({ from, to, atRunTime, byCondition }) =>
      atRunTime && isOurs(to) && isNodeOnly(to) && !isNodeOnly(from) && !byCondition,
    example: ["api/open.ts", 'import { openPath } from "../sources/path.node.js";'],
  },
  {
    rule: "engines and codecs are loaded by import(), when they are needed",
    broken: ({ to, atRunTime, lazy }) => [...ENGINES, ...CODECS].includes(to) && atRunTime && !lazy,
    example: ["containers/hdf5/library/h5wasm.ts", 'import h5wasm from "h5wasm";'],
  },
];
