/** Several chunks under way: their order, their number, and what comes of a failure. */

import { describe, expect, it } from "vitest";
import type { ChunkEncoder } from "../../../../src/containers/tree/container-writer.js";
import { mapTarget } from "../../../../src/io/targets/memory.js";
import type { KeyValueTarget } from "../../../../src/io/targets/target.js";
import { InvalidDataError, InvalidInputError } from "../../../../src/model/errors.js";
import { inlineEncoder, putNumbers, written } from "./written.js";

/** Encodes with delays that differ, and counts. */
function unevenEncoder(window: number, delay: (chunk: number) => number) {
  const inline = inlineEncoder();
  const count = { underWay: 0, most: 0, chunks: 0 };
  const encoder: ChunkEncoder = {
    ...inline,
    window,
    async encode(chunk, encoding) {
      count.most = Math.max(count.most, ++count.underWay);
      const pause = delay(count.chunks++);
      if (pause < 0) throw new InvalidDataError("no such codec");
      await new Promise((resolve) => setTimeout(resolve, pause));
      const encoded = await inline.encode(chunk, encoding);
      count.underWay--;
      return encoded;
    },
  };
  return { encoder, count };
}

const GZIP = { compression: { kind: "gzip", level: 1 } } as const;

describe("chunks under way", () => {
  it.each([2, 3] as const)("come in their order, no more than the window (version %i)", async (version) => {
    const stores = [];
    for (const delay of [() => 0, (i: number) => (i * 7) % 5, (i: number) => 10 - (i % 10)]) {
      const { encoder, count } = unevenEncoder(3, delay);
      const store = await written({ ...GZIP, version, encoder }, async ({ root }) => {
        const arrays = [];
        for (const name of ["a", "b"]) {
          arrays.push(
            await root.array(name, { type: { kind: "int", bits: 16, signed: true }, shape: [20], chunks: [2] }),
          );
        }
        for (let row = 0; row < 20; row += 5) {
          for (const [i, array] of arrays.entries()) {
            await array.write({ kind: "fixed", values: Int16Array.from({ length: 5 }, (_, k) => 1 + i + row + k) }, 5);
          }
        }
        for (const array of arrays) await array.close();
      });
      expect(count.most).toBe(3);
      stores.push([...store.keys].map(([key, bytes]) => [key, [...bytes]]));
    }
    expect(stores[1]).toEqual(stores[0]);
    expect(stores[2]).toEqual(stores[0]);
  });

  it("a failing encoder ends the writing, and says where", async () => {
    const { encoder } = unevenEncoder(2, (i) => (i === 3 ? -1 : 1));
    const keys = new Map<string, Uint8Array>();
    const set: string[] = [];
    const inner = mapTarget(keys);
    const target: KeyValueTarget = {
      ...inner,
      set: async (key, bytes) => {
        set.push(key);
        await inner.set(key, bytes);
      },
    };
    const store = written({ ...GZIP, encoder, target }, ({ root }) =>
      putNumbers(
        root,
        "a",
        Int32Array.from({ length: 20 }, (_, i) => i + 1),
        { chunks: [1] },
      ),
    );
    await expect(store).rejects.toThrow(new InvalidDataError("no such codec", { source: "map", element: "a" }));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(set).toEqual(["a/0", "a/1", "a/2"]);
  });

  it("a failing target does, too", async () => {
    const target: KeyValueTarget = {
      ...mapTarget(new Map()),
      set: async () => {
        throw new InvalidInputError("the disk is full");
      },
    };
    const store = written({ target }, ({ root }) => putNumbers(root, "a", Int32Array.of(1)));
    await expect(store).rejects.toThrow(new InvalidInputError("the disk is full", { source: "map", element: "a" }));
  });
});
