import { gunzipSync } from "node:zlib";
import Zstd from "numcodecs/zstd";
import { afterEach, describe, expect, test } from "vitest";
import { loadCompressor } from "../../../src/kernels/codecs/compress.js";
import { platform as web } from "../../../src/platform/web.js";
import { replacePlatform } from "../../platform.js";

const INPUTS = [new Uint8Array(0), Uint8Array.of(7), new Uint8Array(300_000).map((_, i) => (i * i) >> 9)];

afterEach(() => replacePlatform());

describe.each([
  ["in pages", () => replacePlatform({ gzip: web.gzip, zstd: null })],
  ["in Node", () => replacePlatform()],
] as const)("%s", (_, choose) => {
  test.each(INPUTS.map((input) => ({ input })))("gzip, input %#", async ({ input }) => {
    choose();
    const compressed = await (await loadCompressor("gzip"))(input);
    expect(Buffer.compare(gunzipSync(compressed), input)).toBe(0);
  });

  test.each(INPUTS.map((input) => ({ input })))("zstd, input %#", async ({ input }) => {
    choose();
    const compressed = await (await loadCompressor("zstd"))(input);
    const codec = Zstd.fromConfig({ id: "zstd" });
    expect(Buffer.compare(await codec.decode(compressed), input)).toBe(0);
  });
});
