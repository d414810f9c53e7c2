/** How large the page of `annarrow view` is: what a package carries, and what a page loads before it shows anything. */

import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";

const ASSETS = "dist/view/assets";

beforeAll(ensureBuilt, 120_000);

const compressed = (file: string): number => gzipSync(readFileSync(`${ASSETS}/${file}`), { level: 9 }).length;

/** A script, and those that it imports before it runs. */
function withImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, name] of readFileSync(`${ASSETS}/${file}`, "utf8").matchAll(
    /\b(?:from|import) ?["`'.]*\.\/([\w.-]+\.js)/g,
  )) {
    withImports(name, found);
  }
  return found;
}

const sum = (files: Iterable<string>): number => [...files].reduce((bytes, file) => bytes + compressed(file), 0);

test("all of it has at most 1 MB", () => {
  const bytes = sum(readdirSync(ASSETS));
  expect(bytes).toBeLessThan(1_000_000);
  // It is there, and not only a part of it.
  expect(bytes).toBeGreaterThan(500_000);
});

test("a page with a server starts with the page alone, without the library", () => {
  const files = withImports("main.js");
  expect([...files].filter((file) => /^(reading|hdf5|formats|query|worker)/.test(file))).toEqual([]);
  expect(files.size).toBeGreaterThan(1);
  expect(sum(files)).toBeLessThan(120_000);
});

test("a page without a server loads what few files need only for them", () => {
  const files = withImports("viewer-worker.js");
  expect([...files].some((file) => file.startsWith("reading"))).toBe(true);
  expect([...files].filter((file) => /^(writing|query|parquet|cloud|libzstd|duckdb)/.test(file))).toEqual([]);
  expect(sum(files)).toBeLessThan(260_000);
});
