/**
 * Every writer, with losses allowed, on a disk that is full, in a folder without permission, and of an input that becomes
 * shorter: losses are elements that cannot be held, so each of these is an error, which leaves nothing behind.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { convert, open, write } from "../../packages/published/src/node.js";
import { type Bundle, bundled } from "../../scripts/import-bundled.mjs";
import { outputFormats } from "../../src/formats/output.js";
import { isMounted, mountSmallDisk, unmount } from "../io/targets/small-disk.js";
import { OUTPUTS } from "./lossy-outputs.js";

let folder: string;
let disk: string;
let refusal: string | null;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-lossy-"));
  disk = join(folder, "disk");
  refusal = mountSmallDisk(disk);
});
afterAll(() => {
  if (refusal === null) unmount(disk);
  rmSync(folder, { recursive: true });
});

test("every format is among the outputs", () => {
  expect(new Set(OUTPUTS.map(({ format }) => format))).toEqual(new Set([...outputFormats(), "arrows"]));
});

describe("a disk that is full", () => {
  afterEach(() => rmSync(join(disk, "filler"), { force: true }));

  test.each(OUTPUTS)("$name", async ({ name, input, options, room }) => {
    if (!isMounted(refusal)) return;
    writeFileSync(join(disk, "filler"), new Uint8Array(2 ** 20 - room));
    await expect(convert(input, join(disk, name), options)).rejects.toMatchObject({
      tag: "InvalidInputError",
      message: expect.stringMatching(/no space left on device/i),
    });
    expect(readdirSync(disk)).toEqual(["filler"]);
  });

  test("a matrix that comes to DuckDB as a Parquet file", async () => {
    if (!isMounted(refusal)) return;
    const input = join(folder, "large.h5ad");
    const [cells, genes] = [1024, 1025];
    const names = (length: number) => Array.from({ length }, (_, i) => `n${i}`);
    const entries = cells * genes;
    const X = {
      row: Int32Array.from({ length: entries }, (_, i) => Math.floor(i / genes)),
      col: Int32Array.from({ length: entries }, (_, i) => i % genes),
      value: Float32Array.from({ length: entries }, (_, i) => Math.sin(i)),
    };
    await write(input, { X, obs: { _index: names(cells) }, var: { _index: names(genes) } }, { compression: "none" });
    const written = convert(input, join(disk, "large.duckdb"), { lossy: true });
    await expect(written).rejects.toThrow(/cannot be written: no space left on device \(ENOSPC\)/);
    expect(readdirSync(disk)).toEqual([]);
  });
});

describe("a folder that cannot be written", () => {
  beforeAll(() => {
    if (refusal === null) execFileSync("mount", ["-o", "remount,ro", disk]);
    else chmodSync(disk, 0o555);
  });
  afterAll(() => {
    if (refusal === null) execFileSync("mount", ["-o", "remount,rw", disk]);
    else chmodSync(disk, 0o755);
  });

  test.each(OUTPUTS)("$name", async ({ name, input, options }) => {
    await expect(convert(input, join(disk, name), options)).rejects.toMatchObject({
      tag: "InvalidInputError",
      message: expect.stringMatching(/cannot be written: (permission denied|read-only file system)/),
    });
  });
});

describe("an input that becomes shorter", () => {
  test.each(OUTPUTS)("$name", async ({ name, input, options }) => {
    const place = mkdtempSync(join(folder, "shorter-"));
    const copy = join(place, basename(input));
    cpSync(input, copy);
    const data = await open(copy);
    truncateSync(copy, 3000);
    await expect(write(join(place, name), data, options)).rejects.toMatchObject({ code: "source-changed" });
    await data.close();
    expect(readdirSync(place)).toEqual([basename(input)]);
  });
});

describe("files that must not be larger than 16 KiB", () => {
  let writer: Bundle;
  beforeAll(async () => {
    writer = await bundled("test/api/lossy-outputs.ts");
  }, 60_000);
  afterAll(() => writer.remove());

  test("all outputs", () => {
    const place = join(folder, "limited");
    mkdirSync(place);
    const command = ["-c", 'ulimit -f 16; exec "$@"', "bash", process.execPath, writer.file, place];
    const { stdout, stderr } = spawnSync("bash", command, { encoding: "utf8" });
    expect(stderr).toBe("");
    const refused = expect.stringMatching(/^InvalidInputError: .*file too large/i);
    expect(JSON.parse(stdout)).toEqual(Object.fromEntries(OUTPUTS.map(({ name }) => [name, refused])));
    expect(readdirSync(place)).toEqual([]);
  }, 60_000);
});
