import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { BGZF_END, toBgzfBlock, UNCOMPRESSED_BLOCK_BYTES } from "../../../../src/kernels/codecs/deflate/bgzf.js";
import { deflate } from "../../../../src/kernels/codecs/deflate/deflate.js";

test("a block holds what the member does, and says its size", () => {
  const block = toBgzfBlock(gzipSync("fragments"));
  expect(gunzipSync(block).toString()).toBe("fragments");
  expect(Buffer.from(block.buffer).readUInt16LE(16) + 1).toBe(block.length);
});

test("the last block is empty", () => {
  expect(gunzipSync(BGZF_END).length).toBe(0);
  expect(toBgzfBlock(gzipSync(""))).toEqual(BGZF_END);
});

test("text that does not compress fits into a block", async () => {
  let state = 1;
  const noise = Uint8Array.from({ length: UNCOMPRESSED_BLOCK_BYTES }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
  for (const level of [0, 1, 9]) {
    const block = toBgzfBlock(await deflate(noise, "gzip", level));
    expect(block.length).toBeGreaterThan(UNCOMPRESSED_BLOCK_BYTES);
    expect(new Uint8Array(gunzipSync(block))).toEqual(noise);
  }
});

test("what is longer, or has a name in its header, is no block", () => {
  const named = gzipSync("fragments");
  named[3] = 8;
  expect(() => toBgzfBlock(named)).toThrow("flags 8");
  expect(() => toBgzfBlock(Uint8Array.from({ length: 70_000 }, (_, i) => (i === 2 ? 8 : 0)))).toThrow("70000 bytes");
});
