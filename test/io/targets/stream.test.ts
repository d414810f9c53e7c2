import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDirectoryTarget } from "../../../src/io/targets/directory.node.js";
import { mapTarget } from "../../../src/io/targets/memory.js";
import { type KeyValueTarget, openValueStream } from "../../../src/io/targets/target.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "annarrow-stream-"));
});
afterEach(() => rm(folder, { recursive: true }));

interface Opened {
  readonly target: KeyValueTarget;
  read(key: string): Uint8Array | undefined;
}

const targets: [string, () => Promise<Opened>][] = [
  [
    "a directory",
    async () => {
      const place = join(folder, `${Math.random()}`);
      return {
        target: await createDirectoryTarget(place),
        read: (key) => new Uint8Array(readFileSync(join(place, key))),
      };
    },
  ],
  [
    "a map, which has none of its own",
    async () => {
      const map = new Map<string, Uint8Array>();
      return { target: mapTarget(map), read: (key) => map.get(key) };
    },
  ],
];

/** Sizes about those of the blocks that are written. */
const size = fc.oneof(
  fc.nat(10),
  fc.nat(70_000),
  fc.integer({ min: 2 ** 20 - 2, max: 2 ** 20 + 2 }),
  fc.nat(3_000_000),
);

describe.each(targets)("streams of %s", (_, open) => {
  test("have what was written, whatever happens to its memory", () =>
    fc.assert(
      fc.asyncProperty(fc.array(size, { maxLength: 6 }), fc.array(size, { maxLength: 6 }), async (a, b) => {
        const { target, read } = await open();
        const values = [a, b].map((sizes) => Buffer.alloc(sizes.reduce((sum, one) => sum + one, 0)));
        for (const [i, value] of values.entries()) for (let k = 0; k < value.length; k += 61) value[k] = k * 7 + i;
        const memory = new Uint8Array(3_000_000);
        const streams = [await openValueStream(target, "a"), await openValueStream(target, "folder/b")];
        const at = [0, 0];
        for (let turn = 0; turn < 6; turn++) {
          for (const [i, sizes] of [a, b].entries()) {
            const length = sizes[turn] ?? 0;
            memory.set(values[i].subarray(at[i], at[i] + length));
            await streams[i].write(memory.subarray(0, length));
            memory.fill(255);
            at[i] += length;
          }
        }
        for (const stream of streams) {
          await stream.close();
          await stream.close();
        }
        await target.commit();
        expect(Buffer.compare(read("a") ?? memory, values[0])).toBe(0);
        expect(Buffer.compare(read("folder/b") ?? memory, values[1])).toBe(0);
      }),
      { numRuns: 12 },
    ));

  test("refuse keys as values do", async () => {
    const { target } = await open();
    await expect(openValueStream(target, "../a").then((stream) => stream.close())).rejects.toThrow(/not a path inside/);
    const first = await openValueStream(target, "a");
    await first.close();
    await expect(openValueStream(target, "a").then((stream) => stream.close())).rejects.toThrow(/set twice/);
    await target.abort();
  });
});

describe("streams of a directory", () => {
  test("are not committed while they are open, and leave nothing where they are aborted", async () => {
    const place = join(folder, "out");
    const target = await createDirectoryTarget(place);
    const stream = await openValueStream(target, "val");
    await stream.write(new Uint8Array(3_000_000));
    await expect(target.commit()).rejects.toThrow("val is not closed");
    await target.abort();
    expect(existsSync(place)).toBe(false);
    expect(await readdir(folder)).toEqual([]);
    await expect(stream.write(new Uint8Array(1))).rejects.toThrow(/aborted/);
  });

  test("say what the disk says", async () => {
    const target = await createDirectoryTarget(join(folder, "out"));
    await target.set("a", new Uint8Array(1));
    await expect(openValueStream(target, "a/b")).rejects.toThrow(/cannot be written: not a directory|is set twice/);
    await target.abort();
  });
});
