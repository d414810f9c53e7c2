import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { computeCrc32 } from "../../../../src/kernels/checksums/checksums.js";
import { inflate } from "../../../../src/kernels/codecs/deflate/inflate.js";
import { platform, replacePlatform } from "../../../platform.js";

const BYTES = Uint8Array.from({ length: 70_000 }, (_, i) => (i * i) >> 7);
const exactly = (bytes: number) => ({ bytes, exact: true });
const atMost = (bytes: number) => ({ bytes, exact: false });
const COMPRESS = { raw: deflateRawSync, zlib: deflateSync, gzip: gzipSync } as const;
const FORMATS = ["raw", "zlib", "gzip"] as const;

const invalid = expect.objectContaining({ tag: "InvalidDataError" });

afterEach(() => replacePlatform());
const usual = platform.crc32;

describe("decompresses", () => {
  test.each(FORMATS)("%s streams of many sizes", async (format) => {
    for (const size of [0, 1, 300, BYTES.length]) {
      const bytes = BYTES.subarray(0, size);
      const stream = COMPRESS[format](bytes);
      for (const expected of [exactly(size), atMost(size), atMost(size + 1000)]) {
        const result = await inflate(stream, format, expected);
        expect(Buffer.compare(result, bytes)).toBe(0);
        expect(Object.getPrototypeOf(result)).toBe(Uint8Array.prototype);
      }
      const target = new Uint8Array(size);
      expect(await inflate(stream, format, exactly(size), target)).toBe(target);
      expect(Buffer.compare(target, bytes)).toBe(0);
    }
  });

  test.each(FORMATS)("%s streams of another size, broken or cut", async (format) => {
    const stream = COMPRESS[format](BYTES);
    await expect(inflate(stream, format, exactly(70_001))).rejects.toThrow("70000 bytes, expected 70001");
    await expect(inflate(stream, format, exactly(69_999))).rejects.toThrow("more bytes, expected 69999");
    await expect(inflate(stream, format, atMost(69_999))).rejects.toThrow("more bytes, expected at most 69999");
    await expect(inflate(stream.subarray(0, 900), format, exactly(70_000))).rejects.toThrow(invalid);
    await expect(inflate(new Uint8Array(0), format, exactly(0))).rejects.toThrow(invalid);
    const broken = new Uint8Array(stream).fill(0xff, 20, 24);
    await expect(inflate(broken, format, exactly(70_000))).rejects.toThrow(invalid);
  });

  test("zlib streams into a part of an array", async () => {
    const target = new Uint8Array(BYTES.length + 20).fill(9);
    const into = (room: Uint8Array) => inflate(deflateSync(BYTES), "zlib", exactly(room.length), room);
    await into(target.subarray(10, 10 + BYTES.length));
    expect(Buffer.compare(target.subarray(10, 10 + BYTES.length), BYTES)).toBe(0);
    expect([...target.subarray(0, 10), ...target.subarray(-10)].every((byte) => byte === 9)).toBe(true);
    await expect(into(target)).rejects.toThrow("70000 bytes, expected 70020");
  });

  test("more bytes than the shared memory keeps", { timeout: 60_000 }, async () => {
    const bytes = new Uint8Array(70 * 2 ** 20).fill(3, 1000, 2000);
    const result = await inflate(deflateSync(bytes), "zlib", exactly(bytes.length));
    expect(Buffer.compare(result, bytes)).toBe(0);
  });
});

describe.each([
  ["the kernel", null],
  ["the platform", usual],
])("gzip members, with a CRC-32 of %s", (_, crc32) => {
  beforeEach(() => replacePlatform({ crc32 }));
  const half = BYTES.length / 2;
  const members = [gzipSync(BYTES.subarray(0, half)), gzipSync(BYTES.subarray(half))];

  test("are joined, zeros may follow", async () => {
    for (const padding of [0, 1, 512]) {
      const stream = Buffer.concat([...members, Buffer.alloc(padding)]);
      expect(Buffer.compare(await inflate(stream, "gzip", exactly(BYTES.length)), BYTES)).toBe(0);
    }
    await expect(inflate(Buffer.concat(members), "gzip", exactly(half))).rejects.toThrow("more bytes");
  });

  test("are refused behind anything else", async () => {
    const stream = Buffer.concat([members[0], Buffer.from("what is this")]);
    await expect(inflate(stream, "gzip", atMost(BYTES.length))).rejects.toThrow(/header/);
  });

  test("cannot copy from the member before", async () => {
    const stream = deflateRawSync(BYTES.subarray(0, 400), { dictionary: BYTES.subarray(0, 400) });
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(computeCrc32(BYTES.subarray(0, 400)));
    trailer.writeUInt32LE(400, 4);
    const second = Buffer.concat([members[0].subarray(0, 10), stream, trailer]);
    await expect(inflate(Buffer.concat([members[0], second]), "gzip", atMost(BYTES.length))).rejects.toThrow(
      /distance/,
    );
  });

  test("may have every field of the header, and their checksums must match", async () => {
    const body = members[0].subarray(10);
    for (let flags = 0; flags < 32; flags++) {
      const fields = [
        ...(flags & 4 ? [3, 0, 1, 0, 2] : []),
        ...(flags & 8 ? [...Buffer.from("name"), 0] : []),
        ...(flags & 16 ? [...Buffer.from("what it is"), 0] : []),
      ];
      const header = Uint8Array.from([0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3, ...fields]);
      const crc = computeCrc32(header) & 0xffff;
      const sum = flags & 2 ? [crc & 255, crc >> 8] : [];
      const stream = Buffer.concat([header, Uint8Array.from(sum), body]);
      expect(Buffer.compare(await inflate(stream, "gzip", exactly(half)), BYTES.subarray(0, half))).toBe(0);
      for (let end = 0; end < header.length + sum.length; end++) {
        await expect(inflate(stream.subarray(0, end), "gzip", exactly(half))).rejects.toThrow(invalid);
      }
      if (flags & 2) {
        stream[header.length] ^= 1;
        await expect(inflate(stream, "gzip", exactly(half))).rejects.toThrow(/header (CRC|crc)/);
      }
    }
  });

  test.each([0x20, 0x40, 0x80])("with the reserved flag %i are refused", async (flag) => {
    const stream = new Uint8Array(members[0]);
    stream[3] |= flag;
    await expect(inflate(stream, "gzip", exactly(half))).rejects.toThrow(/header/);
  });

  test("of the wrong checksum or length are refused", async () => {
    for (let k = 1; k <= 8; k++) {
      const stream = new Uint8Array(members[0]);
      stream[stream.length - k] ^= 1;
      await expect(inflate(stream, "gzip", exactly(half))).rejects.toThrow(invalid);
    }
  });
});
