/** A disk that is full: a small one, and a limit of the system for every file of a process. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Bundle, bundled } from "../../../scripts/import-bundled.mjs";
import { isMounted, mountSmallDisk, unmount } from "./small-disk.js";
import { tree } from "./tree.js";

const KINDS = [
  { kind: "file", name: "out.h5ad" },
  { kind: "zip", name: "out.zarr.zip" },
  { kind: "directory", name: "out.zarr" },
  { kind: "tables", name: "tables" },
];

let folder: string;
let writer: Bundle;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-full-"));
  writer = await bundled("test/io/targets/writer.ts");
}, 60_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await writer.remove();
});

/** Puts something small at every place of `top`. */
function fill(top: string): void {
  for (const { name } of KINDS) rmSync(join(top, name), { recursive: true, force: true });
  for (const name of ["out.zarr", "tables"]) {
    mkdirSync(join(top, name));
    writeFileSync(join(top, name, "zarr.json"), "before");
  }
  for (const name of ["out.h5ad", "out.zarr.zip"]) writeFileSync(join(top, name), "before");
}

function expectFailure(top: string, name: string, reason: string, command: readonly string[]): void {
  const before = tree(top);
  const [program, ...args] = command;
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  expect(stderr).toMatch(/^InvalidInputError: /);
  expect(stderr).toContain(join(top, name));
  expect(stderr).toContain(`cannot be written: ${reason}`);
  expect(status).toBe(1);
  expect(tree(top)).toBe(before);
}

describe("a disk of one mebibyte", () => {
  let disk: string;
  let refusal: string | null;
  beforeAll(() => {
    disk = join(folder, "disk");
    refusal = mountSmallDisk(disk);
  });
  afterAll(() => {
    if (refusal === null) unmount(disk);
  });

  test.each(KINDS)("$kind: what was there stays, and nothing else", ({ kind, name }) => {
    if (!isMounted(refusal)) return;
    fill(disk);
    const command = [process.execPath, writer.file, kind, join(disk, name), "3", "7"];
    expectFailure(disk, name, "no space left on device (ENOSPC)", command);
    expect(readdirSync(disk)).toHaveLength(KINDS.length);
  });
});

describe("files that must not be larger than 256 KiB", () => {
  let top: string;
  beforeEach(() => {
    top = mkdtempSync(join(folder, "limit-"));
    fill(top);
  });

  test.each(KINDS)("$kind: what was there stays, and nothing else", ({ kind, name }) => {
    const limited = ["bash", "-c", 'ulimit -f 256; exec "$@"', "bash"];
    const command = [...limited, process.execPath, writer.file, kind, join(top, name), "3", "7"];
    expectFailure(top, name, "file too large (EFBIG)", command);
  });
});
