/** Collects the findings of `annarrow doctor`, and formats them as text. */

import { readFileSync, statfsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, freemem, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { getHeapStatistics } from "node:v8";
import * as zlib from "node:zlib";
import { escapeControlChars } from "annarrow/core/api";
import { VERSION } from "annarrow/core/model";
import { cacheFolder } from "annarrow/node/query";
import { findNodeProblem } from "../context/failure.js";
import { formatBytes } from "../tables/table-outline.js";

/** A package that only some commands need. */
interface OptionalPart {
  readonly name: string;
  /** Commands that need the package. */
  readonly use: string;
}

const OPTIONAL: readonly OptionalPart[] = [
  { name: "parquet-wasm", use: "reading Parquet, nested columns in Parquet" },
  { name: "@duckdb/duckdb-wasm", use: "query, --obs and --var with conditions" },
  { name: "@duckdb/node-api", use: "the same with threads and temporary files, and .duckdb files" },
  { name: "@grpc/grpc-js", use: "serve, and addresses that begin with grpc://" },
  { name: "@aws-sdk/credential-providers", use: "s3:// with roles, profiles and single sign-on" },
  { name: "google-auth-library", use: "gs:// with the credentials of an account" },
  { name: "@azure/identity", use: "az:// with the credentials of an account" },
];

const REQUIRED = ["apache-arrow", "h5wasm", "zarrita"] as const;

interface PackageFound {
  readonly name: string;
  /** Null if the package is not installed. */
  readonly version: string | null;
  readonly use: string;
}

export interface DoctorReport {
  readonly annarrow: { readonly version: string; readonly path: string };
  readonly node: { readonly version: string; readonly path: string; readonly zstd: "node:zlib" | "WebAssembly" };
  readonly system: { readonly platform: string; readonly arch: string; readonly release: string };
  readonly threads: number;
  /** Sizes in bytes; `limit` is the limit of a container, or null. */
  readonly memory: {
    readonly total: number;
    readonly free: number;
    readonly limit: number | null;
    readonly heapLimit: number;
  };
  /** Folders that commands write to, with their free bytes. */
  readonly folders: readonly { readonly name: string; readonly path: string; readonly free: number | null }[];
  readonly packages: readonly PackageFound[];
  /** Problems, with advice on how to solve them. */
  readonly problems: readonly string[];
}

/** Examines this machine without starting, loading or sending anything. */
export function examineMachine(): DoctorReport {
  const packages = [
    ...REQUIRED.map((name) => ({ name, version: installedVersion(name), use: "every command" })),
    ...OPTIONAL.map(({ name, use }) => ({ name, version: installedVersion(name), use })),
  ];
  const total = totalmem();
  const constrained = process.constrainedMemory?.() ?? 0;
  const folders = [
    { name: "temporary files", path: tmpdir() },
    { name: "companions", path: cacheFolder() },
  ].map((folder) => ({ ...folder, free: freeBytes(folder.path) }));
  return {
    annarrow: { version: VERSION, path: process.argv[1] ?? "" },
    node: {
      version: process.version,
      path: process.execPath,
      zstd: "zstdCompressSync" in zlib ? "node:zlib" : "WebAssembly",
    },
    system: { platform: process.platform, arch: process.arch, release: release() },
    threads: availableParallelism(),
    memory: {
      total,
      free: freemem(),
      // Without a container, Linux reports 2^63, and other systems 0.
      limit: constrained > 0 && constrained < total ? constrained : null,
      heapLimit: getHeapStatistics().heap_size_limit,
    },
    folders,
    packages,
    problems: problemsOf(packages),
  };
}

function problemsOf(packages: readonly PackageFound[]): readonly string[] {
  const node = findNodeProblem(process.version);
  const missing = packages.filter(({ name, version }) => version === null && REQUIRED.some((one) => one === name));
  return [
    ...(node === null ? [] : [node]),
    ...missing.map(({ name }) => `the package ${name} is missing: npm install annarrow installs it`),
  ];
}

/** Returns the version of a package that this program can resolve, or null. */
function installedVersion(name: string): string | null {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const version = versionIn(join(folder, name, "package.json"));
    if (version !== null) return version;
  }
  return null;
}

function versionIn(file: string): string | null {
  try {
    const content: unknown = JSON.parse(readFileSync(file, "utf8"));
    const isNamed = typeof content === "object" && content !== null && "version" in content;
    return isNamed && typeof content.version === "string" ? content.version : null;
  } catch {
    return null;
  }
}

/** Returns the free bytes at the folder, which need not exist yet; null if the system does not report them. */
function freeBytes(folder: string): number | null {
  for (let at = folder; ; ) {
    try {
      const { bavail, bsize } = statfsSync(at);
      return bavail * bsize;
    } catch {
      const above = join(at, "..");
      if (above === at) return null;
      at = above;
    }
  }
}

/** Returns the report as text: one line for each finding, then the problems. */
export function formatDoctorReport(report: DoctorReport): string {
  const { annarrow, node, system, threads, memory, folders, packages, problems } = report;
  const limit = memory.limit === null ? "" : `, of which this container may use ${size(memory.limit)}`;
  const lines = [
    ["annarrow", `${annarrow.version} (${annarrow.path})`],
    ["Node", `${node.version} (${node.path}), zstd by ${node.zstd}`],
    ["system", `${system.platform} ${system.arch}, ${system.release}`],
    ["threads", String(threads)],
    [
      "memory",
      `${size(memory.total)}${limit}; ${size(memory.free)} free; heap of JavaScript ${size(memory.heapLimit)}`,
    ],
    ...folders.map(({ name, path, free }) => [name, `${path}${free === null ? "" : `, ${size(free)} free`}`]),
  ];
  const parts = packages.map(({ name, version, use }) => [
    name,
    version ?? "not installed",
    version === null ? `for ${use}: npm install ${name}` : `for ${use}`,
  ]);
  const end = problems.length === 0 ? "Everything that annarrow needs is here." : problems.join("\n");
  return `${aligned(lines)}\n\n${aligned(parts)}\n\n${end}\n`;
}

const size = (bytes: number) => formatBytes({ size: bytes, estimated: false });

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => escapeControlChars(cell).padEnd(widths[i]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
