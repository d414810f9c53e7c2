import { describe, expect, test } from "vitest";
import { lzma } from "../../../src/kernels/codecs/xz.js";

const PLAIN = Buffer.concat(
  Array.from({ length: 40 }, (_, i) => Buffer.from(`row ${(i * i) % 97} of block ${Math.floor(i / 7)}~\xff`, "latin1")),
);

/**
 * `PLAIN` cut behind byte 301, a "w": its upper bits choose the model of the next literal. Made by Python's lzma and by
 * xz 5.4.1, and read back by Python.
 */
const STREAMS = {
  // lzma.compress(plain[:301]) + lzma.compress(plain[301:])
  streams: [
    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4AEsAEVdADkby1Agn62QO+x2nZXWbTw4YnwUSwmvNLWzNxrmBx2QX0BtMd+nxFrdrdf5",
    "HIRz9qfzriQBYrzQIxxbva+SYj9zF+sjzAAAAABPAcxXlN9jcQABYa0CAAAAjptDIrHEZ/sCAAAAAARZWv03elhaAAAE5ta0RgIA",
    "IQEWAAAAdC/lo+ABwwBgXQAQDYKJp3x/wI1L26FKWBNgOyJuwUcOoCzrfunH4mq7pth6AyNbmzRO0d/EwUvshcZV/C9s5ACjf2gq",
    "ZYDtdK0QhR0UTwDmqcfGnCjhmyxpr9Z3qn62xdolksOSirAKWQAApe49COj9qnMAAXzEAwAAAJL4lbGxxGf7AgAAAAAEWVo=",
  ].join(""),
  // xz --block-size=301
  blocks: [
    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4AEsAEVdADkby1Agn62QO+x2nZXWbTw4YnwUSwmvNLWzNxrmBx2QX0BtMd+nxFrdrdf5",
    "HIRz9qfzriQBYrzQIxxbva+SYj9zF+sjzAAAAABPAcxXlN9jcQIAIQEWAAAAdC/lo+ABLABLXQAQDYKJp3x/wI1L26FKWBNgOyJu",
    "wUcOoCzrfunH4mq7pth6AyNbmzRO0d/EwUvshcZV/C9s5ACjf2gqZYDtdK0QhR0UTwDmqGalWgAAAMAKw/HBPhPBAgAhARYAAAB0",
    "L+Wj4ACWADFdADedwAJQ7bpYSXOSzrSeDEL6GyF9j2MKiDC4833bJrtDxn8Bs4xhCyYmjgdqRC0vQCgAAAAAhIRYQwqHPiEAA2Gt",
    "AmetAk2XAQAJkbaSFBc7MAMAAAAABFla",
  ].join(""),
  // Raw LZMA2 of preset 6: the first without its end byte, then the second, which resets the dictionary.
  raw: [
    "4AEsAEVdADkby1Agn62QO+x2nZXWbTw4YnwUSwmvNLWzNxrmBx2QX0BtMd+nxFrdrdf5HIRz9qfzriQBYrzQIxxbva+SYj9zF+sj",
    "zOABwwBgXQAQDYKJp3x/wI1L26FKWBNgOyJuwUcOoCzrfunH4mq7pth6AyNbmzRO0d/EwUvshcZV/C9s5ACjf2gqZYDtdK0QhR0U",
    "TwDmqcfGnCjhmyxpr9Z3qn62xdolksOSirAKWQAA",
  ].join(""),
};

const size = { bytes: PLAIN.length, exact: true };

describe("a stream, a block, and a reset dictionary know nothing of the bytes before", () => {
  test.each([
    ["streams", {}],
    ["blocks", {}],
    ["raw", { format: 3, filters: [{ id: 0x21 }] }],
  ] as const)("%s", async (name, options) => {
    const decoded = await lzma({ values: [], options, itemBytes: 1 }).decode(
      Buffer.from(STREAMS[name], "base64"),
      size,
    );
    expect(Buffer.compare(decoded, PLAIN)).toBe(0);
  });
});
