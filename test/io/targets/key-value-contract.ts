import { expect, test } from "vitest";
import type { KeyValueTarget } from "../../../src/io/targets/target.js";

export interface Opened {
  readonly target: KeyValueTarget;
  /** What is visible under the real name, null for nothing at all. */
  read(): Promise<ReadonlyMap<string, Uint8Array> | null>;
}

const KEYS = ["zarr.json", "X/data/c/0", "obs/µ/c/1/0", "obs/.zattrs", "a b/%25", "empty"];

/** Larger than what any target copies, or joins with something else. */
const LARGE = 300_000;

/** What every target for keys keeps to. */
export function keyValueContract(open: () => Promise<Opened>): void {
  test("holds what was set, once it is committed", async () => {
    const { target, read } = await open();
    const memory = new Uint8Array(LARGE);
    for (const [index, key] of KEYS.entries()) {
      await target.set(key, memory.subarray(0, key === "empty" ? 0 : 1 << (3 * index)).fill(index + 1));
      memory.fill(0xff);
    }
    await target.set("large", memory.fill(42));
    memory.fill(0xff);
    await target.commit();
    await target.abort();
    const expected = new Map(
      KEYS.map((key, index) => [key, Buffer.alloc(key === "empty" ? 0 : 1 << (3 * index), index + 1)]),
    ).set("large", Buffer.alloc(LARGE, 42));
    const found = await read();
    expect([...(found?.keys() ?? [])].sort()).toEqual([...expected.keys()].sort());
    for (const [key, bytes] of expected)
      expect(Buffer.compare(found?.get(key) ?? Buffer.from("none"), bytes), key).toBe(0);
  });

  test("takes many keys at once", async () => {
    const { target, read } = await open();
    const count = 3000;
    const value = (i: number) => Buffer.alloc(i % 100 === 0 ? 70_000 : i % 50, i);
    await Promise.all(Array.from({ length: count }, (_, i) => target.set(`c/${i % 10}/${i}`, value(i))));
    await target.commit();
    const found = await read();
    expect(found?.size).toBe(count);
    for (let i = 0; i < count; i++)
      expect(Buffer.compare(found?.get(`c/${i % 10}/${i}`) ?? Buffer.from("none"), value(i))).toBe(0);
  });

  test("leaves nothing where it is aborted", async () => {
    const { target, read } = await open();
    await target.set("zarr.json", new Uint8Array(10));
    const sets = Array.from({ length: 50 }, (_, i) => target.set(`c/${i}`, new Uint8Array(i * 5000)));
    const ends = Promise.allSettled(sets);
    await target.abort();
    await ends;
    await target.abort();
    expect(await read()).toBeNull();
  });

  test("shows nothing before it is committed", async () => {
    const { target, read } = await open();
    await target.set(".zgroup", new Uint8Array(10));
    await target.set(".zattrs", new Uint8Array(10));
    expect(await read()).toBeNull();
    await target.abort();
  });

  test.each(["", "/a", "a//b", "a/", "../a", "a/../../b", "./a", "a\0b"])("refuses the key %j", async (key) => {
    const { target } = await open();
    await expect(target.set(key, new Uint8Array(1))).rejects.toThrow("is not a path inside the store");
    await target.abort();
  });

  test("refuses a key that was set", async () => {
    const { target, read } = await open();
    await target.set("X/0", new Uint8Array(1));
    const again = async () => {
      await target.set("X/0", new Uint8Array(2));
      await target.commit();
    };
    await expect(again()).rejects.toThrow("X/0: is set twice");
    await target.abort();
    expect(await read()).toBeNull();
  });

  test("takes nothing after its end", async () => {
    const { target } = await open();
    await target.set("X/0", new Uint8Array(1));
    await target.commit();
    await expect(target.set("X/1", new Uint8Array(1))).rejects.toThrow(TypeError);
    await expect(target.commit()).rejects.toThrow(TypeError);
  });
}
