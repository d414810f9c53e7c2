import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openHdf5 } from "../../../src/containers/hdf5/container.js";
import { parseFillValue } from "../../../src/containers/hdf5/dataset/dataset.js";
import { findSignature, isHdf5 } from "../../../src/containers/hdf5/file/superblock.js";
import { MESSAGE } from "../../../src/containers/hdf5/objects/object-header.js";
import { isAnnarrowError } from "../../../src/model/errors.js";
import { replacePlatform } from "../../platform.js";
import { bytesSource, fixtureBytes, openArray, openFixture, rowsOf } from "./fixture.js";

const printed = vi.spyOn(console, "error");
beforeEach(() => {
  printed.mockClear();
});
afterEach(() => replacePlatform());
afterEach(() => expect(printed).not.toHaveBeenCalled());

describe("damaged and hostile data", () => {
  test.each([
    ["gzip_noise", "InvalidDataError", /deflate|zlib|header/],
    ["gzip_short", "InvalidDataError", /80 bytes, expected 400/],
    ["gzip_long", "InvalidDataError", /more.*400/],
    ["gzip_bomb", "InvalidDataError", /more.*400/],
    ["gzip_cut", "InvalidDataError", /deflate|zlib stream|compressed data/],
    ["gzip_checksum", "InvalidDataError", /check|Adler/],
    ["fletcher32", "InvalidDataError", /fletcher32/],
    ["text_short", "InvalidDataError", /32 bytes, expected 160/],
    ["text_heap", "InvalidDataError", /no heap at address 77/],
    ["filter_unknown", "UnsupportedError", /filter 511/],
  ])("%s fails on reading", async (name, tag, message) => {
    const container = await openFixture("bad");
    const array = await openArray(container, name);
    await expect(array.read(0, rowsOf(array))).rejects.toMatchObject({
      tag,
      source: "bad.h5",
      element: name,
      message: expect.stringMatching(message),
    });
    await container.close();
  });

  test("rows whose chunks are whole can still be read", async () => {
    const container = await openFixture("bad");
    const array = await openArray(container, "gzip_short");
    expect((await array.read(0, 50)).kind).toBe("fixed");
    await container.close();
  });

  test.each([
    ["huge_chunked", "InvalidDataError", /1099511627776 in chunks of 1024 makes 1073741824 chunks; at most 268435456/],
    ["huge_chunk", "UnsupportedError", /chunks of 2147483648 bytes; at most 1073741824/],
  ])("%s fails on opening", async (name, tag, message) => {
    const container = await openFixture("bad");
    await expect(container.root.open(name)).rejects.toMatchObject({ tag, message: expect.stringMatching(message) });
    await container.close();
  });
});

test("rows that were never written are the fill value, however many there are", async () => {
  const container = await openFixture("bad");
  const array = await openArray(container, "huge_contiguous");
  expect(array.shape).toEqual([2 ** 40]);
  expect(await array.read(2 ** 40 - 2, 2 ** 40)).toEqual({ kind: "fixed", values: new Float64Array(2) });
  await expect(array.read(0, 2 ** 40)).rejects.toThrow(/8796093022208 bytes in one read; at most 4294967296/);
  await container.close();
});

test("an element of 4 GiB takes no memory before it is read", () => {
  const before = process.memoryUsage().arrayBuffers;
  expect(parseFillValue([], 2 ** 32 - 1)).toHaveLength(0);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
});

// By hand, from the File Format Specification, IV.A.2.f: "-1 indicates that the fill value is undefined".
test.each([
  ["version 1", [1, 2, 0, 1, 255, 255, 255, 255]],
  ["version 2", [2, 2, 0, 1, 255, 255, 255, 255]],
])("a fill value of size -1 is none, %s", (_, bytes) => {
  const message = { type: MESSAGE.fillValue, body: Uint8Array.from(bytes) };
  expect(parseFillValue([message], 2)).toEqual(new Uint8Array(0));
});

describe("files that are none", () => {
  test("are told by their signature, also behind a user block", async () => {
    expect(await isHdf5(bytesSource(fixtureBytes("types")))).toBe(true);
    expect(await findSignature(bytesSource(fixtureBytes("userblock")))).toBe(4096);
    for (const bytes of [new Uint8Array(0), new Uint8Array(4), new TextEncoder().encode("text\n".repeat(500))]) {
      expect(await isHdf5(bytesSource(bytes))).toBe(false);
      await expect(openHdf5(bytesSource(bytes))).rejects.toMatchObject({ tag: "InvalidDataError", source: "bytes" });
    }
  });

  test("truncated files are refused at every length", async () => {
    const whole = fixtureBytes("userblock");
    for (let length = 4096; length < whole.length; length += 331) {
      await expect(openHdf5(bytesSource(whole.subarray(0, length))), `${length}`).rejects.toMatchObject({
        tag: "InvalidDataError",
      });
    }
    await expect(openHdf5(bytesSource(whole.subarray(0, -1)))).rejects.toThrow(/truncated file/);
  });
});

/** Numerical Recipes' linear congruential generator: the same damage in every run. */
function* damage(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

test.each(["types", "newest", "layouts", "groups", "newer_groups", "small_fields", "lzf"])(
  "%s.h5 with wrong bytes gives values or named errors",
  async (name) => {
    const random = damage(name.length);
    const next = () => random.next().value ?? 0;
    let failed = 0;
    for (let round = 0; round < 40; round++) {
      const bytes = fixtureBytes(name);
      for (let i = 0; i < 6; i++) bytes[Math.floor(next() ** 2 * bytes.length)] = Math.floor(next() * 256);
      try {
        const container = await openHdf5(bytesSource(bytes));
        for (const key of await container.root.keys()) {
          try {
            const node = await container.root.open(key);
            if (node.kind === "array" && node.shape !== null) await node.read(0, Math.min(100, rowsOf(node)));
          } catch (error) {
            failed++;
            expect(isAnnarrowError(error), String(error)).toBe(true);
          }
        }
        await container.close();
      } catch (error) {
        failed++;
        expect(isAnnarrowError(error), String(error)).toBe(true);
      }
    }
    expect(failed).toBeGreaterThan(0);
  },
);
