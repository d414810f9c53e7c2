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
const isNodeOnly = (path: string) => path === "node.ts" || path.endsWith(".node.ts");
const isVocabulary = (path: string) =>
  [
    ...["model/errors.ts", "model/json-object.ts", "model/nearest.ts", "model/option-names.ts"],
    "model/formats/extend.ts",
    "model/stored.ts",
    "model/system-error.node.ts",
  ].includes(path);
/** What formats say about themselves: names and ends of names, and no code of theirs. */
const isFormatName = within("model/formats");
const isTableOrError = (path: string) =>
  within("tables")(path) || ["model/dataset.ts", "model/table-metadata.ts"].includes(path) || isVocabulary(path);
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
    rule: "io/http/ knows only errors and each other",
    broken: ({ from, to }) => within("io/http")(from) && isOurs(to) && !within("io/http")(to) && !isVocabulary(to),
    example: ["io/http/retry.ts", 'import { processConcurrently } from "../../kernels/values/for-each-at-once.js";'],
  },
  {
    rule: "io/sources/ know only errors, stored values, options, ends of names, kernels, servers and each other",
    broken: ({ from, to }) =>
      within("io/sources")(from) &&
      isOurs(to) &&
      !within("io/sources", "io/http", "kernels")(to) &&
      !isVocabulary(to) &&
      !isFormatName(to),
    example: ["io/sources/zip.ts", 'import { openStore } from "../../containers/zarr/open.js";'],
  },
  {
    rule: "io/schemes/ know only errors, options, what a dataset is, servers, sources and each other",
    broken: ({ from, to }) =>
      within("io/schemes")(from) &&
      isOurs(to) &&
      !within("io/schemes", "io/sources", "io/http")(to) &&
      to !== "model/dataset.ts" &&
      !isVocabulary(to),
    example: ["io/schemes/registry.ts", 'import { openCloudStore } from "../../cloud/open-cloud-store.js";'],
  },
  {
    rule: "io/targets/ know only errors, stored values, kernels, the platform, schemes, servers, each other, and what a key is",
    broken: ({ from, to }) =>
      within("io/targets")(from) &&
      isOurs(to) &&
      !within("io/targets", "io/schemes", "io/http", "kernels", "platform")(to) &&
      !isVocabulary(to) &&
      to !== "io/sources/key.ts",
    example: ["io/targets/zip.ts", 'import type { ByteSource } from "../sources/source.js";'],
  },
  {
    rule: "sinks/ and writers/ know of io/targets/ only what a target is",
    broken: ({ from, to }) =>
      within("sinks", "writers")(from) && within("io/targets")(to) && to !== "io/targets/target.ts",
    example: ["sinks/directory/tables.ts", 'import { mapTarget } from "../../io/targets/memory.js";'],
  },
  {
    rule: "containers/ know nothing of Arrow, formats and sinks",
    broken: ({ from, to }) =>
      within("containers")(from) &&
      (to === "apache-arrow" || within("arrow", "readers", "writers", "sinks", "jobs")(to)),
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
      const folder = /^containers\/(hdf5|zarr|arrays|tsv)\//;
      const [mine, other] = [folder.exec(from)?.[0], folder.exec(to)?.[0]];
      return mine !== undefined && other !== undefined && mine !== other;
    },
    example: ["containers/zarr/array.ts", 'import { filters } from "../hdf5/filters.js";'],
  },
  {
    rule: "arrow/ knows nothing of containers, sources, formats and sinks",
    broken: ({ from, to }) =>
      within("arrow")(from) && within("containers", "io/sources", "readers", "writers", "sinks")(to),
    example: ["arrow/sparse.ts", 'import type { Group } from "../containers/tree/container.js";'],
  },
  {
    rule: "in arrow/ only apache/ loads apache-arrow, and readers/ and writers/ do not at all",
    broken: ({ from, to, atRunTime }) =>
      to === "apache-arrow" &&
      atRunTime &&
      within("arrow", "readers", "writers", "io/sources")(from) &&
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
      within("parquet", "ipc", "jobs")(from) && within("tables", "readers", "writers", "sinks")(to),
    example: ["parquet/write/file.ts", 'import type { StoredTable } from "../../tables/stored-table.js";'],
  },
  {
    rule: "readers/ and writers/ never import each other, or sinks",
    broken: ({ from, to }) =>
      (within("readers")(from) && within("writers", "sinks")(to)) ||
      (within("writers")(from) && within("readers", "sinks")(to)),
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
      (atRunTime || !within("io/sources")(to)),
    example: ["ipc/read/messages-of.ts", 'import { checkRange } from "../../io/sources/memory.js";'],
  },
  {
    rule: "api/display/ is known to api/ alone",
    broken: ({ from, to }) => within("api/display")(to) && !within("api/display", "api")(from),
    example: ["tables/planned-table.ts", 'import { tableText } from "../api/display/plain.js";'],
  },
  {
    rule: "jobs/external-sort/ knows columns, kernels, errors and stored values; its temporary file, how targets are cleaned up",
    broken: ({ from, to }) =>
      within("jobs/external-sort")(from) &&
      isOurs(to) &&
      !within("jobs/external-sort", "kernels")(to) &&
      !["arrow/column.ts", "arrow/type.ts", "arrow/value-words.ts"].includes(to) &&
      !isVocabulary(to) &&
      !(isNodeOnly(from) && within("io/targets")(to) && isNodeOnly(to)),
    example: ["jobs/external-sort/runs.ts", 'import type { StoredArray } from "../../containers/container.js";'],
  },
  {
    rule: "formats/conversion/ knows tables, columns and errors, no file and no format's reader or writer",
    broken: ({ from, to }) =>
      within("formats/conversion")(from) &&
      isOurs(to) &&
      !within("formats/conversion", "tables")(to) &&
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
    example: ["formats/conversion/loom.ts", 'import { attributes } from "../../readers/loom/attributes.js";'],
  },
  {
    rule: "readers/, writers/, jobs/ and what is below know nothing of conversions and of the modules of formats",
    broken: ({ from, to }) =>
      within("formats/conversion", "formats")(to) &&
      /^[^/]+\//.test(from) &&
      !within("formats/conversion", "formats", "api")(from),
    example: ["writers/loom/write.ts", 'import { loom } from "../../formats/loom.js";'],
  },
  {
    rule: "only query/ knows the tokens of statements",
    broken: ({ from, to }) => !within("query", "query/session")(from) && to === "query/tokens.ts",
    example: ["selection/predicates.node.ts", 'import { parseSqlTokens } from "../query/tokens.js";'],
  },
  {
    rule: "node:* only in node.ts and *.node.ts",
    broken: ({ from, to }) => to.startsWith("node:") && !isNodeOnly(from),
    example: ["io/sources/file.ts", 'import type { Stats } from "node:fs";'],
  },
  {
    rule: "what is for Node alone is imported only by what is for Node alone, or by condition",
    broken: ({ from, to, atRunTime, byCondition }) =>
      atRunTime && isOurs(to) && isNodeOnly(to) && !isNodeOnly(from) && !byCondition,
    example: ["api/open.ts", 'import { openPath } from "../io/sources/path.node.js";'],
  },
  {
    rule: "engines and codecs are loaded by import(), when they are needed",
    broken: ({ to, atRunTime, lazy }) => [...ENGINES, ...CODECS].includes(to) && atRunTime && !lazy,
    example: ["containers/hdf5/library/h5wasm.ts", 'import h5wasm from "h5wasm";'],
  },
];
