/** Patterns of file names, beside the shell, which is their reference. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expandInputs } from "../../src/files/file-pattern.js";

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), "annarrow-pattern-"));
  for (const folder of ["a", "a/b", "a/b/c", ".hidden", "a/x[1]"]) mkdirSync(join(place, folder));
  for (const file of ["1.h5ad", "2.h5ad", "10.h5ad", "a-b.zarr", "é.h5ad", "^.h5ad", "(x).h5ad", ".dot.h5ad", "x{1}"]) {
    for (const folder of ["", "a", "a/b/c", ".hidden", "a/x[1]"]) writeFileSync(join(place, folder, file), "");
  }
});
afterAll(() => rmSync(place, { recursive: true }));

test.each([
  "*.h5ad",
  "?.h5ad",
  "[12].h5ad",
  "[!12].h5ad",
  "[0-9]*.h5ad",
  "[^12].h5ad",
  "*/*.zarr",
  "a/*/*/1.h5ad",
  "**/1.h5ad",
  "a/**/1*.h5ad",
  "{1,2}.h5ad",
  "{1,{2,10}}.h5ad",
  "*{1}",
  "a/x[[]1[]]/2*",
  ".*.h5ad",
  "./?.h5ad",
  "a*/",
])("%s", async (pattern) => {
  const listed = `shopt -s globstar nullglob; cd "$1"; printf '%s\\n' ${pattern}`;
  const text = execFileSync("bash", ["-c", listed, "bash", place], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  const expected = text.trimEnd().split("\n");
  const absolute = pattern.startsWith("./") ? pattern.slice(2) : pattern;
  const { paths, matched } = await expandInputs([`${place}/${absolute}`]);
  expect(matched).toBe(true);
  const within = paths.map((path) => path.slice(place.length + 1));
  expect(within.sort()).toEqual(expected.map((path) => path.replace(/^\.\//, "")).sort());
});

test("paths that exist and URLs are no patterns", async () => {
  const given = [join(place, "x{1}"), "https://host/a*b?x=[1]"];
  expect(await expandInputs(given)).toEqual({ paths: given, matched: false });
});

test("a pattern without a match is an error with the pattern", async () => {
  await expect(expandInputs([`${place}/*.csv`])).rejects.toThrow(`${place}/*.csv: no file matches this pattern`);
});
