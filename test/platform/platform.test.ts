import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createGunzipReader } from "../../src/kernels/codecs/deflate/gunzip-reader.js";
import { platform as node } from "../../src/platform/platform.node.js";
import { platform as web } from "../../src/platform/web.js";
import { replacePlatform, platform as usual } from "../platform.js";

const BYTES = Uint8Array.from({ length: 300_000 }, (_, i) => (i * i) >> 7);
const STREAM = gzipSync(BYTES);

test("#platform is Node's here, but for its workers", () => {
  expect(usual).toEqual({ ...node, threads: null });
});

describe.each([
  ["Node", node],
  ["pages", web],
])("what %s has", (_, platform) => {
  beforeEach(() => {
    replacePlatform({ gunzip: platform.gunzip });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    replacePlatform();
  });

  test("makes gzip streams", async () => {
    expect(Buffer.compare(gunzipSync(await platform.gzip(BYTES)), BYTES)).toBe(0);
  });

  /** What pieces of a gzip file give where no kernel can run, one byte after the other at first. */
  async function gunzipped(stored: Uint8Array): Promise<Uint8Array> {
    vi.stubGlobal("WebAssembly", undefined);
    let at = 0;
    const { pull, cancel } = createGunzipReader(async () => {
      const end = at < 30 ? at + 1 : at + 10_000;
      const piece = stored.subarray(at, end);
      at = end;
      return piece.length === 0 ? null : piece;
    });
    const found: Uint8Array[] = [];
    for (let piece = await pull(); piece !== null; piece = await pull()) found.push(piece);
    await cancel();
    return Buffer.concat(found);
  }

  test("reads a gzip file piece by piece", async () => {
    expect(Buffer.compare(await gunzipped(STREAM), BYTES)).toBe(0);
  });

  test("notices one that is cut off or damaged", async () => {
    const invalid = expect.objectContaining({ tag: "InvalidDataError" });
    await expect(gunzipped(STREAM.subarray(0, STREAM.length - 3))).rejects.toThrow(invalid);
    const damaged = new Uint8Array(STREAM);
    damaged[STREAM.length - 6] ^= 1;
    await expect(gunzipped(damaged)).rejects.toThrow(invalid);
  });

  test("leaves an error of the source as it is", async () => {
    vi.stubGlobal("WebAssembly", undefined);
    const lost = new Error("the connection is lost");
    await expect(createGunzipReader(() => Promise.reject(lost)).pull()).rejects.toBe(lost);
  });
});
