import { gunzipSync } from "node:zlib";
import Zstd from "numcodecs/zstd";
import { afterEach, describe, expect, test } from "vitest";
import { compressor, installCompressors } from "../../../src/kernels/codecs/compress.js";
import { installNodeCompressors } from "../../../src/kernels/codecs/compress.node.js";

const INPUTS = [new Uint8Array(0), Uint8Array.of(7), new Uint8Array(300_000).map((_, i) => (i * i) >> 9)];

afterEach(() => installCompressors({}));

describe.each([
  ["everywhere", () => installCompressors({})],
  ["in Node", installNodeCompressors],
] as const)("%s", (_, install) => {
  test.each(INPUTS.map((input) => ({ input })))("gzip, input %#", async ({ input }) => {
    install();
    const compressed = await (await compressor("gzip"))(input);
    expect(Buffer.compare(gunzipSync(compressed), input)).toBe(0);
  });

  test.each(INPUTS.map((input) => ({ input })))("zstd, input %#", async ({ input }) => {
    install();
    const compressed = await (await compressor("zstd"))(input);
    const codec = Zstd.fromConfig({ id: "zstd" });
    expect(Buffer.compare(await codec.decode(compressed), input)).toBe(0);
  });
});

test("what is installed is used", async () => {
  installCompressors({ gzip: () => Uint8Array.of(1) });
  expect(await (await compressor("gzip"))(INPUTS[2])).toEqual(Uint8Array.of(1));
});
