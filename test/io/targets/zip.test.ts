import { describe, expect, test } from "vitest";
import { createBytesSource } from "../../../src/io/sources/memory.js";
import { zipSource } from "../../../src/io/sources/zip.js";
import { readZipDirectory } from "../../../src/io/sources/zip-directory.js";
import { createBytesTarget } from "../../../src/io/targets/memory.js";
import type { ByteTarget } from "../../../src/io/targets/target.js";
import { zipTarget } from "../../../src/io/targets/zip.js";
import { keyValueContract } from "./key-value-contract.js";

async function unzipped(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const store = await zipSource(createBytesSource(bytes));
  const values = new Map<string, Uint8Array>();
  for (const { name } of await readZipDirectory(createBytesSource(bytes))) {
    values.set(name, (await store.get(name)) ?? new Uint8Array(0));
  }
  return values;
}

/** Keeps the end of a file of any size, and only the places of the rest. */
function endOf(size: number): { target: ByteTarget; end(): Uint8Array; writes: [number, number][] } {
  let kept = new Uint8Array(0);
  const writes: [number, number][] = [];
  const target: ByteTarget = {
    kind: "bytes",
    name: "large.zip",
    async write(offset, bytes) {
      writes.push([offset, bytes.length]);
      if (bytes.length < size) kept = new Uint8Array([...kept, ...bytes].slice(-size));
    },
    commit: async () => undefined,
    abort: async () => undefined,
  };
  return { target, end: () => kept, writes };
}

describe("a zip archive", () => {
  keyValueContract(async () => {
    const file = createBytesTarget("out.zarr.zip");
    const target = zipTarget(file);
    let committed = false;
    const commit = file.commit.bind(file);
    file.commit = async () => {
      await commit();
      committed = true;
    };
    return { target, read: async () => (committed ? unzipped(file.bytes()) : null) };
  });

  test("has the bytes that the format says", async () => {
    const file = createBytesTarget();
    const target = zipTarget(file);
    await target.set("é", new TextEncoder().encode("123456789"));
    await target.commit();
    // CRC-32 of "123456789" is cbf43926; the name has bit 11 for UTF-8, the date is 1 January 1980.
    const local = "504b0304 1400 0008 0000 0000 2100 2639f4cb 09000000 09000000 0200 0000 c3a9 313233343536373839";
    const central =
      "504b0102 1403 1400 0008 0000 0000 2100 2639f4cb 09000000 09000000 0200 0000 0000 0000 0000 0000a481 00000000 c3a9";
    const end = "504b0506 0000 0000 0100 0100 30000000 29000000 0000";
    expect(Buffer.from(file.bytes()).toString("hex")).toBe((local + central + end).replaceAll(" ", ""));
  });

  test("of nothing is an archive", async () => {
    const file = createBytesTarget();
    await zipTarget(file).commit();
    expect(file.bytes().length).toBe(22);
    expect(await unzipped(file.bytes())).toEqual(new Map());
  });

  test("holds more than 65,535 entries", async () => {
    const file = createBytesTarget();
    const target = zipTarget(file);
    const count = 70_000;
    for (let i = 0; i < count; i++) await target.set(`c/${i}`, Uint8Array.of(i, i >> 8, i >> 16));
    await target.commit();
    const store = await zipSource(createBytesSource(file.bytes()));
    expect(await store.list("c")).toHaveLength(count);
    expect(await store.get("c/69999")).toEqual(Uint8Array.of(69_999 & 0xff, (69_999 >> 8) & 0xff, 1));
  });

  test("is longer than 4 GiB", async () => {
    const value = new Uint8Array(1 << 30);
    const { target, end, writes } = endOf(4096);
    const archive = zipTarget(target);
    for (const key of ["0", "1", "2", "3", "4"]) await archive.set(`c/${key}`, value);
    await archive.set("zarr.json", Uint8Array.of(1, 2, 3));
    await archive.commit();
    const size = Math.max(...writes.map(([offset, length]) => offset + length));
    const tail = end();
    const entries = await readZipDirectory({
      kind: "bytes",
      name: "large.zip",
      size,
      read: async (from, to) => {
        const part = tail.subarray(Math.max(from - size + tail.length, 0), to - size + tail.length);
        const padded = new Uint8Array(to - from);
        padded.set(part, to - from - part.length);
        return padded;
      },
      close: async () => undefined,
    });
    const header = 30 + "c/0".length;
    expect(entries.map(({ name, header }) => [name, header])).toEqual([
      ...[0, 1, 2, 3, 4].map((i) => [`c/${i}`, i * (value.length + header)]),
      ["zarr.json", 5 * (value.length + header)],
    ]);
    expect(entries.map(({ size }) => size)).toEqual([...Array(5).fill(value.length), 3]);
  }, 120_000);

  test("is not committed where a write failed", async () => {
    const file = createBytesTarget();
    const write = file.write.bind(file);
    let writes = 0;
    file.write = async (offset, bytes) => {
      if (++writes === 2) throw new Error("the disk is full");
      await write(offset, bytes);
    };
    const target = zipTarget(file);
    await target.set("a", new Uint8Array(1));
    await expect(target.set("b", new Uint8Array(1))).rejects.toThrow("the disk is full");
    await expect(target.set("c", new Uint8Array(1))).rejects.toThrow("the disk is full");
    await expect(target.commit()).rejects.toThrow("the disk is full");
  });

  test("takes no key whose name is too long", async () => {
    const target = zipTarget(createBytesTarget());
    await expect(target.set("ä".repeat(40_000), new Uint8Array(1))).rejects.toThrow(
      "a key of 80000 bytes, a zip archive holds at most 65535",
    );
  });
});
