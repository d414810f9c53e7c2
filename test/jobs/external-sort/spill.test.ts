import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTemporarySpill } from "../../../src/jobs/external-sort/spill.node.js";
import { InvalidDataError, InvalidInputError } from "../../../src/model/errors.js";
import { isMounted, mountSmallDisk, unmount } from "../../io/targets/small-disk.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "annarrow-spill-"));
});
afterEach(() => rm(folder, { recursive: true }));

const bytes = (...numbers: number[]) => Uint8Array.from(numbers);

describe("a temporary file", () => {
  test("gives back what was appended, and has no name", async () => {
    const spill = createTemporarySpill(folder);
    expect(readdirSync(folder)).toEqual([]);
    expect(await spill.append([bytes(1, 2), bytes(), bytes(3)])).toBe(0);
    expect(await spill.append([bytes(4, 5)])).toBe(3);
    expect(readdirSync(folder)).toEqual([]);
    const target = new Uint8Array(3);
    await spill.read(1, target);
    expect(target).toEqual(bytes(2, 3, 4));
    await spill.remove();
    expect(await spill.append([bytes(9)])).toBe(0);
    await spill.remove();
    await spill.remove();
  });

  test("refuses to read what is not there", async () => {
    const spill = createTemporarySpill(folder);
    await expect(spill.read(0, new Uint8Array(1))).rejects.toThrow("nothing was spilled");
    await spill.append([bytes(1, 2)]);
    await expect(spill.read(1, new Uint8Array(4))).rejects.toThrow(InvalidDataError);
    await expect(spill.read(1, new Uint8Array(4))).rejects.toThrow("ends at byte 2, expected 5");
    await spill.remove();
  });

  test("names the folder where it cannot be made", async () => {
    const spill = createTemporarySpill(join(folder, "absent"));
    await expect(spill.append([bytes(1)])).rejects.toThrow(InvalidInputError);
    await expect(spill.append([bytes(1)])).rejects.toThrow(
      /temporary file in .*absent: cannot be written: .*ENOENT.*; set TMPDIR to a folder that can be written/,
    );
    await spill.remove();
  });
  test("names a full folder, and the way to give another one", async () => {
    const disk = join(folder, "disk");
    const refusal = mountSmallDisk(disk);
    if (!isMounted(refusal)) return;
    const spill = createTemporarySpill(disk);
    try {
      const error = await spill.append([new Uint8Array(2 ** 21)]).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(String(error)).toBe(
        `InvalidInputError: temporary file in ${disk}: cannot be written: no space left on device (ENOSPC); set TMPDIR to a folder with more room`,
      );
    } finally {
      await spill.remove();
      unmount(disk);
    }
  });
});
