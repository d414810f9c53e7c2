/** What a page can do whose policy forbids WebAssembly: what needs no kernel works, the rest says what to allow. */

import { readFileSync } from "node:fs";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type * as Library from "../../packages/published/src/index.js";

const FIXTURES = "test/fixtures/data/anndata";

let library: typeof Library;
let replacePlatform: typeof import("../platform.js").replacePlatform;

const refuse = () => {
  throw new WebAssembly.CompileError("Wasm code generation disallowed by embedder");
};
const { Module, instantiate } = WebAssembly;
const forbidding = {
  Module: class {
    constructor() {
      refuse();
    }
  },
  // Node's fetch has a compiled module of its own.
  instantiate: async (source: WebAssembly.Module | BufferSource, imports?: WebAssembly.Imports) =>
    source instanceof Module ? instantiate(source, imports) : refuse(),
};

beforeAll(async () => {
  vi.stubGlobal("WebAssembly", { ...forbidding, CompileError: WebAssembly.CompileError, compile: WebAssembly.compile });
  // Modules that other tests have loaded may have started kernels.
  vi.resetModules();
  ({ replacePlatform } = await import("../platform.js"));
  replacePlatform({ deflate: null, zstd: null, crc32: null });
  library = await import("../../packages/published/src/index.js");
});

afterAll(() => {
  replacePlatform();
  vi.unstubAllGlobals();
  vi.resetModules();
});

const refused = expect.objectContaining({
  tag: "MissingDependencyError",
  problem: expect.stringContaining("'wasm-unsafe-eval' in script-src"),
});

const input = () => new Blob([new Uint8Array(readFileSync(`${FIXTURES}/plain.h5ad`))]);

test("small uncompressed tables are read and written", async () => {
  await using data = await library.open(input());
  const obs = await data.table("obs").read();
  const parts: Uint8Array[] = [];
  for await (const part of library.ipcStream(data.table("obs"))) parts.push(part);
  expect(obs.getChild("s")?.toArray().map(String)).toEqual(["x", "y", "x"]);
  expect(tableFromIPC(parts).toArray().map(String)).toEqual(obs.toArray().map(String));
});

test("chunks are compressed by the page itself, and what decompresses them names the policy", async () => {
  await using data = await library.open(input());
  const store = new Map<string, Uint8Array>();
  await library.write(store, data, { compression: "gzip" });
  await using stored = await library.open(store);
  expect(stored.tables.size).toBe(data.tables.size);
  await expect(stored.table("obs").read()).rejects.toThrow(refused);
});

test("Parquet names the policy, before anything is written", async () => {
  await using data = await library.open(input());
  await expect(library.parquetFile(data.table("obs")).next()).rejects.toThrow(refused);
});
