import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Group, MatrixBox, StoredArray } from "../../../src/containers/tree/container.js";
import { InvalidInputError } from "../../../src/model/errors.js";
import { allocate, getDecodedSize, viewAsBytes } from "../../../src/model/stored.js";
import { openFixture } from "./fixture.js";

/** All matrices in a group and below that give their chunks one by one. */
async function matrices(group: Group): Promise<StoredArray[]> {
  const found: StoredArray[] = [];
  for (const name of await group.keys()) {
    const node = await group.open(name).catch(() => null);
    if (node?.kind === "group") found.push(...(await matrices(node)));
    else if (node?.capabilities?.blocks !== undefined) found.push(node);
  }
  return found;
}

/** The bytes of a box, from the blocks of it; each value must come at most once. */
async function boxBytes(array: StoredArray, box: MatrixBox): Promise<Uint8Array> {
  const size = getDecodedSize(array.type) ?? 0;
  const [[top, bottom], [left, right]] = [box.rows, box.cols];
  const width = right - left;
  const bytes = new Uint8Array((bottom - top) * width * size);
  const times = new Uint8Array((bottom - top) * width);
  await array.capabilities?.blocks?.(box, (block) => {
    expect(block.bytes.length).toBe(((block.rows - 1) * block.stride + block.cols) * size);
    for (let row = 0; row < block.rows; row++) {
      for (let col = 0; col < block.cols; col++) {
        const from = (row * block.stride + col) * size;
        const at = (block.row + row - top) * width + block.col + col - left;
        times[at]++;
        bytes.set(block.bytes.subarray(from, from + size), at * size);
      }
    }
  });
  expect(times.every((count) => count <= 1)).toBe(true);
  return bytes;
}

async function slowBytes(array: StoredArray, { rows, cols }: MatrixBox): Promise<Uint8Array> {
  const [, width = 0] = array.shape ?? [];
  const whole = await array.read(rows[0], rows[1]);
  if (whole.kind !== "fixed") throw new Error(whole.kind);
  const out = allocate(array.type, (rows[1] - rows[0]) * (cols[1] - cols[0]));
  const size = out.BYTES_PER_ELEMENT;
  const parts = Array.from({ length: rows[1] - rows[0] }, (_, row) =>
    viewAsBytes(whole.values).subarray((row * width + cols[0]) * size, (row * width + cols[1]) * size),
  );
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}

const between = (size: number) =>
  fc.tuple(fc.nat(size), fc.nat(size)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

describe.each([
  ["chunks_v108", 4],
  ["chunks_v110", 4],
  ["chunks_v112", 2],
  ["chunks_v200", 4],
])("%s.h5", (name, least) => {
  test("gives the chunks of any box of a matrix", async () => {
    const container = await openFixture(name);
    const found = await matrices(container.root);
    expect(found.length).toBeGreaterThanOrEqual(least);
    for (const array of found) {
      const [height = 0, width = 0] = array.shape ?? [];
      await fc.assert(
        fc.asyncProperty(between(height), between(width), async (rows, cols) => {
          const box = { rows, cols };
          expect(await boxBytes(array, box), array.path).toEqual(await slowBytes(array, box));
        }),
        { numRuns: 12 },
      );
      const whole = { rows: [0, height], cols: [0, width] } as const;
      expect(await boxBytes(array, whole), array.path).toEqual(await slowBytes(array, whole));
    }
    await container.close();
  });
});

test("a box outside of the matrix is refused", async () => {
  const container = await openFixture("chunks_v108");
  const [array] = await matrices(container.root);
  const [height = 0, width = 0] = array.shape ?? [];
  const read = (box: MatrixBox) => array.capabilities?.blocks?.(box, () => undefined);
  await expect(read({ rows: [0, height + 1], cols: [0, 1] })).rejects.toThrow(InvalidInputError);
  await expect(read({ rows: [0, 1], cols: [1, 0] })).rejects.toThrow(`columns 1 to 0 of ${width}`);
  await container.close();
});
