/** A union on a disk that is full: nothing is published, and with room again it is made. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMounted, mountSmallDisk, unmount } from "../../../test/io/targets/small-disk.js";
import { commitUnion, open, planUnion, runUnionTask, split, union } from "../../published/src/node.js";

let folder: string;
let disk: string;
let refusal: string | null;
let inputs: string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-union-full-"));
  disk = join(folder, "disk");
  refusal = mountSmallDisk(disk);
  const pbmc = await open("examples/pbmc.h5ad");
  await split(pbmc, join(folder, "in"), { by: "donor" });
  await pbmc.close();
  inputs = readdirSync(join(folder, "in"))
    .filter((name) => name.endsWith(".h5ad"))
    .map((name) => join(folder, "in", name));
});
afterAll(() => {
  if (refusal === null) unmount(disk);
  rmSync(folder, { recursive: true });
});

/** Leaves some bytes free, by a file that fills the rest. */
function leave(bytes: number): void {
  const filler = join(disk, "filler");
  for (let size = 2 ** 20; ; size -= 4096) {
    rmSync(filler, { force: true });
    try {
      writeFileSync(filler, new Uint8Array(size));
      // What is free now, rounded down to blocks, is given back.
      writeFileSync(filler, new Uint8Array(Math.max(0, size - bytes)));
      return;
    } catch {
      if (size <= 4096) throw new Error("the disk has no room at all");
    }
  }
}

const filesIn = (path: string) => readdirSync(path, { recursive: true, withFileTypes: true }).filter((e) => e.isFile());

describe("a full disk", () => {
  test("ends a union with its name and the reason, and leaves nothing", async () => {
    if (!isMounted(refusal)) return;
    leave(40_960);
    const atlas = join(disk, "atlas");
    await expect(union(inputs, atlas)).rejects.toMatchObject({
      tag: "InvalidInputError",
      message: expect.stringMatching(/atlas.*cannot be written: no space left on device \(ENOSPC\)/),
    });
    expect(filesIn(disk).map(({ name }) => name)).toEqual(["filler"]);
  });

  test("ends a commit, which is made once there is room", async () => {
    if (!isMounted(refusal)) return;
    rmSync(join(disk, "filler"), { force: true });
    const atlas = join(disk, "atlas");
    const [one] = inputs;
    const plan = await planUnion([one], atlas);
    await runUnionTask(plan, 0);
    leave(0);
    await expect(commitUnion(plan)).rejects.toThrow(/cannot be written: no space left on device \(ENOSPC\)/);
    await expect(open(atlas)).rejects.toMatchObject({ tag: "NotFoundError" });
    rmSync(join(disk, "filler"));
    expect((await commitUnion(plan)).datasets).toBe(1);
    const data = await open(atlas);
    expect(data.shape?.[0]).toBe(plan.inputs[0].rows);
    await data.close();
  });
});
