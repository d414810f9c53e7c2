import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openBlockingFileSource } from "../../../src/io/sources/blocking-file.node.js";
import { getFileIdentity } from "../../../src/io/sources/file.node.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-blocking-"));
  path = join(folder, "numbers.bin");
  writeFileSync(
    path,
    Uint8Array.from({ length: 100 }, (_, i) => i),
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

const opened = () => openBlockingFileSource(path, getFileIdentity(statSync(path)));

test("pieces go to where they belong, and nothing between them changes", async () => {
  const source = opened();
  const target = new Uint8Array(16).fill(255);
  await source.readPieces?.({ start: 5, length: 2, count: 4, step: 30, targetStep: 4 }, target);
  expect([...target]).toEqual([5, 6, 255, 255, 35, 36, 255, 255, 65, 66, 255, 255, 95, 96, 255, 255]);
  await source.readPieces?.({ start: 99, length: 2, count: 0, step: 30, targetStep: 4 }, target);
  await source.close();
});

test("pieces beyond the end are refused, also where the file has become shorter", async () => {
  const source = opened();
  const pieces = { start: 5, length: 6, count: 4, step: 30, targetStep: 6 };
  await expect(source.readPieces?.(pieces, new Uint8Array(24))).rejects.toThrow(/100/);
  truncateSync(path, 50);
  await expect(source.readPieces?.({ ...pieces, length: 2 }, new Uint8Array(24))).rejects.toThrow(
    "the file ended at byte 65, expected 67",
  );
  await source.close();
});

test("a signal ends the reading before it begins", async () => {
  const source = opened();
  const pieces = { start: 0, length: 1, count: 1, step: 1, targetStep: 1 };
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(source.readPieces?.(pieces, new Uint8Array(1), { signal })).rejects.toThrow("enough");
  await source.close();
});
