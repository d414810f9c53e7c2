import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFileTarget } from "../../../src/io/targets/file.node.js";
import { createSingleFileTarget } from "../../../src/io/targets/target.js";
import { removeUnfinished } from "../../../src/io/targets/temporary-output.node.js";

let folder: string;
let place: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "annarrow-target-"));
  place = join(folder, "out.h5ad");
});
afterEach(() => rm(folder, { recursive: true }));

const bytes = (text: string) => new TextEncoder().encode(text);
const MIB = 1 << 20;

async function replacing(text: string) {
  await writeFile(place, "before");
  const target = await createFileTarget(place, { overwrite: true });
  await target.write(0, bytes(text));
  return target;
}

describe("the bytes of a file", () => {
  test("are those that were written, wherever and however large", async () => {
    // Sizes on both sides of what is gathered, offsets so near that many overlap.
    const size = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 65_000, max: 200_000 }));
    const write = fc.record({ size, offset: fc.integer({ min: 0, max: 300_000 }), append: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 30 }), async (writes) => {
        const target = await createFileTarget(place, { overwrite: true });
        const expected = new Uint8Array(20 * MIB);
        const memory = new Uint8Array(200_000);
        let end = 0;
        for (const [index, { size, offset, append }] of writes.entries()) {
          const at = append ? end : offset;
          const part = memory.subarray(0, size).fill(index + 1);
          await target.write(at, part);
          expected.fill(index + 1, at, at + size);
          if (size > 0) end = Math.max(end, at + size);
          memory.fill(0xff);
        }
        await target.commit();
        expect(Buffer.compare(await readFile(place), expected.subarray(0, end))).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test("may be written in several places at once", async () => {
    const target = await createFileTarget(place);
    const sizes = Array.from({ length: 400 }, (_, i) => (i % 7 === 0 ? 100_000 + i : 50 + i));
    const offsets = sizes.map((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0));
    await Promise.all(sizes.map((size, i) => target.write(offsets[i], new Uint8Array(size).fill(i))));
    await target.commit();
    const expected = Buffer.concat(sizes.map((size, i) => Buffer.alloc(size, i)));
    expect(Buffer.compare(await readFile(place), expected)).toBe(0);
  });

  test("are flushed while more come, and complete", async () => {
    const target = await createFileTarget(place);
    for (let i = 0; i < 100; i++) await target.write(i * MIB, new Uint8Array(MIB).fill(i));
    await target.commit();
    const written = await readFile(place);
    expect(written.length).toBe(100 * MIB);
    expect(Array.from({ length: 100 }, (_, i) => written[i * MIB + 5])).toEqual(
      Array.from({ length: 100 }, (_, i) => i),
    );
  });

  test("never written are zeros", async () => {
    const target = await createFileTarget(place);
    await target.write(5, bytes("b"));
    await target.commit();
    expect([...(await readFile(place))]).toEqual([0, 0, 0, 0, 0, 98]);
  });

  test("of no write at all are none", async () => {
    await (await createFileTarget(place)).commit();
    expect((await stat(place)).size).toBe(0);
  });
});

describe("a file that is written", () => {
  test("is not there under its name before it is committed", async () => {
    const target = await replacing("after");
    const [temporary, ...rest] = (await readdir(folder)).filter((name) => name !== "out.h5ad");
    expect(rest).toEqual([]);
    expect(temporary).toMatch(/^\.out\.h5ad\.[0-9a-f]{12}-([0-9a-f]{12}|0)-\d+-\d+-[0-9a-f]{12}\.tmp$/);
    expect(await readFile(place, "utf8")).toBe("before");
    await target.commit();
    expect(await readdir(folder)).toEqual(["out.h5ad"]);
    expect(await readFile(place, "utf8")).toBe("after");
  });

  test("leaves nothing where it is aborted, and what was there before", async () => {
    const target = await replacing("after");
    await target.write(100, new Uint8Array(MIB));
    await target.abort();
    await target.abort();
    expect(await readdir(folder)).toEqual(["out.h5ad"]);
    expect(await readFile(place, "utf8")).toBe("before");
  });

  test("is removed while writes are under way", async () => {
    const target = await createFileTarget(place);
    const writes = Array.from({ length: 8 }, (_, i) => target.write(i * MIB, new Uint8Array(MIB)));
    const ends = Promise.allSettled(writes);
    await target.abort();
    await ends;
    expect(await readdir(folder)).toEqual([]);
  });

  test("stays where it is aborted after it was committed", async () => {
    const target = await replacing("after");
    await target.commit();
    await target.abort();
    expect(await readFile(place, "utf8")).toBe("after");
  });

  test("takes nothing after its end", async () => {
    const target = await replacing("after");
    await target.commit();
    await expect(target.write(0, bytes("x"))).rejects.toThrow(TypeError);
    await expect(target.commit()).rejects.toThrow("committed after it was committed");
  });

  test("is removed by an interrupted process", async () => {
    const target = await replacing("after");
    removeUnfinished();
    expect(await readdir(folder)).toEqual(["out.h5ad"]);
    expect(await readFile(place, "utf8")).toBe("before");
    await target.abort();
  });

  test("keeps nothing of a stream that fails", async () => {
    await writeFile(place, "before");
    const controller = new AbortController();
    const target = createSingleFileTarget(await createFileTarget(place, { overwrite: true }));
    const chunks = async function* () {
      yield bytes("begun");
      controller.abort();
      controller.signal.throwIfAborted();
    };
    await expect(target.write("X", chunks())).rejects.toThrow("aborted");
    await target.abort();
    expect(await readdir(folder)).toEqual(["out.h5ad"]);
    expect(await readFile(place, "utf8")).toBe("before");
  });

  test("may have a name that leaves no room for another", async () => {
    const long = join(folder, `${"ä".repeat(125)}.h5ad`);
    const target = await createFileTarget(long);
    await target.write(0, bytes("x"));
    await target.commit();
    expect(await readFile(long, "utf8")).toBe("x");
  });
});

describe("a file is not replaced", () => {
  test("without leave", async () => {
    await writeFile(place, "before");
    await expect(createFileTarget(place)).rejects.toThrow(
      `${place}: exists already; choose another name, or give overwrite`,
    );
  });

  test("without leave, where it came meanwhile", async () => {
    const target = await createFileTarget(place);
    await target.write(0, bytes("after"));
    await writeFile(place, "another's");
    await expect(target.commit()).rejects.toThrow("exists already");
    await target.abort();
    expect(await readdir(folder)).toEqual(["out.h5ad"]);
    expect(await readFile(place, "utf8")).toBe("another's");
  });

  test("where it is a folder, or a device", async () => {
    await mkdir(place);
    await expect(createFileTarget(place, { overwrite: true })).rejects.toThrow("is a folder, and not replaced");
    await expect(createFileTarget("/dev/null", { overwrite: true })).rejects.toThrow(
      "is no regular file, and not replaced",
    );
  });
});

test("a symbolic link stays one, and what it leads to is replaced", async () => {
  await mkdir(join(folder, "far"));
  await writeFile(join(folder, "far", "true.h5ad"), "before");
  await symlink("far/true.h5ad", place);
  const target = await createFileTarget(place, { overwrite: true });
  await target.write(0, bytes("after"));
  expect(await readdir(join(folder, "far"))).toHaveLength(2);
  await target.commit();
  expect((await lstat(place)).isSymbolicLink()).toBe(true);
  expect(await readlink(place)).toBe("far/true.h5ad");
  expect(await readFile(join(folder, "far", "true.h5ad"), "utf8")).toBe("after");
});

describe("a place that cannot be written", () => {
  test("has no folder", async () => {
    const missing = join(folder, "no");
    await expect(createFileTarget(join(missing, "a.h5ad"))).rejects.toMatchObject({
      tag: "NotFoundError",
      message: `${missing}: no such folder; create it first`,
    });
  });

  test("has a file for a folder", async () => {
    await writeFile(place, "");
    await expect(createFileTarget(join(place, "a.h5ad"))).rejects.toMatchObject({
      tag: "InvalidInputError",
      message: `${place}: cannot be written: not a directory (ENOTDIR)`,
    });
  });

  test("is forbidden", async () => {
    await chmod(folder, 0o500);
    const asRoot = process.geteuid?.() === 0;
    if (asRoot) process.seteuid?.(65534);
    try {
      await expect(createFileTarget(place)).rejects.toMatchObject({
        tag: "InvalidInputError",
        message: `${folder}: cannot be written: permission denied (EACCES)`,
      });
    } finally {
      if (asRoot) process.seteuid?.(0);
      await chmod(folder, 0o700);
    }
  });
});
