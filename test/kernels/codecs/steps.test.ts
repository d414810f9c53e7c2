import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DecodedOutput } from "../../../src/kernels/codecs/bounds/decoded-output.js";
import { createStreamDecoder } from "../../../src/kernels/codecs/bounds/steps.js";
import { decodeBz2, decodeBz2InSteps } from "../../../src/kernels/codecs/bz2.js";
import { decodeXz, decodeXzInSteps } from "../../../src/kernels/codecs/xz.js";

const FOLDER = "test/fixtures/data/rds";
const bomb = (name: string) => new Uint8Array(readFileSync(`${FOLDER}/bomb-${name}.rds`));
const whole = (name: string) => new Uint8Array(readFileSync(`${FOLDER}/atomic-${name}.rds`));

const DECODERS = { xz: decodeXzInSteps, bzip2: decodeBz2InSteps };

/** Decodes bytes that come in parts of `size`. Returns the decoded parts. */
async function decode(name: keyof typeof DECODERS, bytes: Uint8Array, size: number): Promise<Uint8Array[]> {
  let at = 0;
  const next = createStreamDecoder(async () => {
    if (at === bytes.length) return null;
    const part = bytes.subarray(at, at + size);
    at += part.length;
    return part;
  }, DECODERS[name]);
  const parts: Uint8Array[] = [];
  for (let part = await next(); part !== null; part = await next()) parts.push(part);
  return parts;
}

function wholeXz(bytes: Uint8Array): Uint8Array {
  const out = new DecodedOutput({ bytes: 2 ** 20, exact: false });
  decodeXz(bytes, out);
  return out.finish();
}

describe.each(["xz", "bzip2"] as const)("%s in parts", (name) => {
  test.each([1, 7, 2 ** 20])("encoded bytes in parts of %i", async (size) => {
    const bytes = whole(name);
    const expected = name === "xz" ? wholeXz(bytes) : decodeBz2(bytes, { bytes: 2 ** 20, exact: false });
    expect(Buffer.concat(await decode(name, bytes, size))).toEqual(Buffer.from(expected));
    // Two streams, one behind the other.
    const twice = Buffer.concat([bytes, bytes]);
    expect(Buffer.concat(await decode(name, twice, size))).toEqual(Buffer.from([...expected, ...expected]));
  });

  test("many bytes come in parts of a few megabytes, all of them", async () => {
    const parts = await decode(name, bomb(name), 100);
    const mebibytes = name === "xz" ? 12 : 48;
    expect(parts.reduce((sum, { length }) => sum + length, 0)).toBe(mebibytes * 2 ** 20 + 31);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(2 ** 22);
    expect(parts.every((part, i) => part.subarray(i === 0 ? 31 : 0).every((byte) => byte === 0))).toBe(true);
  });

  test("a file that is cut, or has another byte, is refused", async () => {
    const bytes = whole(name);
    const expected = Buffer.concat(await decode(name, bytes, 64));
    for (let cut = 1; cut < bytes.length; cut += 3) {
      await expect(decode(name, bytes.subarray(0, cut), 64)).rejects.toThrow();
      const changed = bytes.slice();
      changed[cut] ^= 0x10;
      // Zeros that fill a block up to four bytes are not looked at.
      const found = await decode(name, changed, 64).catch(() => null);
      expect(found === null ? expected : Buffer.concat(found)).toEqual(expected);
    }
  });
});
