import { describe, expect, test } from "vitest";
import { lookup3 } from "../../../../src/containers/hdf5/bytes/lookup3.js";
import { Hdf5File } from "../../../../src/containers/hdf5/file/hdf5-file.js";
import { readObjectHeader } from "../../../../src/containers/hdf5/objects/object-header.js";
import { bytesSource } from "../fixture.js";

const u16 = (value: number) => [value & 0xff, value >> 8];
const u32 = (value: number) => [...u16(value & 0xffff), ...u16(value >>> 16)];
const u64 = (value: number) => [...u32(value), 0, 0, 0, 0];

/** A message of version 1; the body is padded to a multiple of 8. */
function message(type: number, body: readonly number[], flags = 0): number[] {
  const padded = [...body, ...new Array((8 - (body.length % 8)) % 8).fill(0)];
  return [...u16(type), ...u16(padded.length), flags, 0, 0, 0, ...padded];
}

function header(...messages: readonly number[][]): number[] {
  const all = messages.flat();
  return [1, 0, ...u16(messages.length), ...u32(1), ...u32(all.length), 0, 0, 0, 0, ...all];
}

const more = (address: number, length: number) => message(0x10, [...u64(address), ...u64(length)]);

/** Version 2, with a size of one byte and without times. */
function newer(flags: number, body: readonly number[]): number[] {
  const bytes = [0x4f, 0x48, 0x44, 0x52, 2, flags, body.length, ...body];
  return [...bytes, ...u32(lookup3(Uint8Array.from(bytes)))];
}

/** A file of `size` bytes with blocks at addresses; the header that is read stands at 0. */
function file(blocks: Readonly<Record<number, readonly number[]>>, size = 400): Hdf5File {
  const bytes = new Uint8Array(size);
  for (const [address, block] of Object.entries(blocks)) bytes.set(block, Number(address));
  return new Hdf5File(bytesSource(bytes), 0, { offsets: 8, lengths: 8 });
}

const read = async (blocks: Readonly<Record<number, readonly number[]>>, size?: number) =>
  (await readObjectHeader(file(blocks, size), 0)).map(({ type, body }) => [type, [...body]]);

const DATA = [1, 2, 3, 4, 5, 6, 7, 8];

describe("object headers", () => {
  test("go on in further blocks, in the order in which these are named", async () => {
    const found = await read({
      0: header(message(1, DATA), more(100, 40), more(200, 16), message(3, DATA)),
      100: [...more(300, 16), ...message(8, [9])],
      200: message(12, DATA),
      300: message(17, DATA),
    });
    expect(found.map(([type]) => type)).toEqual([1, 3, 8, 12, 17]);
  });

  test("leave out free space, and what is too short for a message", async () => {
    expect(await read({ 0: header(message(0, DATA), message(1, DATA), [0, 0, 0, 0]) })).toEqual([[1, DATA]]);
  });

  test("of version 2 have unaligned messages, gaps and creation indexes", async () => {
    expect(await read({ 0: newer(0, [1, 2, 0, 0, 7, 8, 0, 0, 0]) })).toEqual([[1, [7, 8]]]);
    expect(await read({ 0: newer(4, [1, 2, 0, 0, 5, 0, 7, 8, 0, 0, 0]) })).toEqual([[1, [7, 8]]]);
  });

  test("may have unknown messages", async () => {
    expect(await read({ 0: header(message(0x40, DATA), message(1, DATA)) })).toHaveLength(2);
  });
});

describe("damaged object headers", () => {
  const shared = (version: number, kind: number, address: number) =>
    version === 1 ? [1, kind, ...new Array(14).fill(0), ...u64(address)] : [version, kind, ...u64(address)];

  test.each<[string, Record<number, number[]>, RegExp]>([
    ["a block that leads to itself", { 0: header(more(100, 24)), 100: more(100, 24) }, /never ends/],
    ["blocks in a circle", { 0: header(more(100, 24)), 100: more(200, 24), 200: more(100, 24) }, /never ends/],
    ["a block that is the header", { 0: header(more(0, 40)) }, /never ends/],
    ["blocks longer than the file", { 0: header(more(40, 350), more(41, 350)) }, /never ends: \d+ bytes, file of 400/],
    ["a block beyond the end", { 0: header(more(390, 24)) }, /24 bytes at address 390/],
    ["a block of 2^53 bytes", { 0: header(more(100, 0).fill(0xff, 16, 23)) }, /beyond 2\^53|beyond the end/],
    ["a header beyond the end", { 0: [1, 0, 1, 0, ...u32(1), ...u32(1000), 0, 0, 0, 0] }, /never ends|beyond the end/],
    ["a message beyond its block", { 0: header([1, 0, 200, 0, 0, 0, 0, 0]) }, /needs 200 more bytes, but 0/],
    ["version 3", { 0: [0x4f, 0x48, 0x44, 0x52, 3] }, /version 3/],
    ["nothing there", { 0: [0] }, /no object at address 0/],
    ["a wrong checksum", { 0: newer(0, [1, 2, 0, 0, 7, 8]).with(-1, 0) }, /checksum/],
    ["a block of version 2 of 4 bytes", { 0: newer(0, [16, 16, 0, 0, ...u64(100), ...u64(4)]) }, /4 bytes/],
    ["a block without signature", { 0: newer(0, [16, 16, 0, 0, ...u64(100), ...u64(40)]) }, /no object header block/],
    ["a message that must be known", { 0: header(message(0x40, DATA, 0x80)) }, /type 64, which must be understood/],
    ["a shared message in the heap", { 0: header(message(3, shared(3, 1, 100), 2)) }, /shared message heap/],
    ["a shared message of version 4", { 0: header(message(3, shared(4, 2, 100), 2)) }, /version 4/],
    [
      "a shared message that is absent",
      { 0: header(message(3, shared(3, 2, 100), 2)), 100: header() },
      /missing at 100/,
    ],
    [
      "a shared message that is itself shared",
      { 0: header(message(3, shared(2, 0, 100), 2)), 100: header(message(3, shared(2, 0, 0), 2)) },
      /itself shared/,
    ],
    ["a message that it shares with itself", { 0: header(message(3, shared(1, 0, 0), 2)) }, /itself shared/],
    ["a shared message beyond the end", { 0: header(message(3, shared(3, 2, 4000), 2)) }, /4000 lies beyond/],
  ])("%s", async (_, blocks, problem) => {
    await expect(read(blocks)).rejects.toMatchObject({
      tag: expect.stringMatching(/InvalidDataError|UnsupportedError/),
      message: expect.stringMatching(problem),
    });
  });

  test("many messages that are shared with one large header take little time", async () => {
    const many = 20_000;
    const common = header(...new Array(many).fill(message(1, DATA)), message(3, DATA));
    const sharing = header(...new Array(many).fill(message(3, shared(3, 2, 800_000), 2)));
    const began = performance.now();
    expect(await read({ 0: sharing, 800000: common }, 1_200_000)).toHaveLength(many);
    expect(performance.now() - began).toBeLessThan(3000);
  });
});
