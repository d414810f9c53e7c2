/** Long vectors in slots. They are moved out of memory while they are read. */

import type { ByteSpill } from "annarrow/core/containers";
import type { ItemInput, Reading } from "../input/item-input.js";
import { NO_ATTRIBUTES, type RSpilled } from "../model/value.js";

/**
 * Slots of sparse matrices that have one value per entry. Integers in `x` are not included, because they may be NA, and
 * all values would have to be checked.
 */
const SLOTS: Readonly<Record<RSpilled["of"], readonly (string | null)[]>> = { integer: ["i", "j"], real: ["x"] };

/** Minimum size in bytes of a vector that is spilled. */
const LEAST_BYTES = 2 ** 23;

const BLOCK_BYTES = 2 ** 22;

/** True if a vector is to be spilled, given its type, the name of its slot and its size in bytes. */
export function isSpilled(of: RSpilled["of"], slot: string | null, bytes: number): boolean {
  return bytes >= LEAST_BYTES && SLOTS[of].includes(slot);
}

/** Reads a vector into `spill`. One block is written while the next block is read. */
export function* readSpilledVector(
  words: NonNullable<ItemInput["words"]>,
  { of, length }: Pick<RSpilled, "of" | "length">,
  spill: ByteSpill,
): Reading<RSpilled> {
  const size = of === "integer" ? 4 : 8;
  const bytes = size * length;
  const blocks = [new Uint8Array(BLOCK_BYTES), new Uint8Array(BLOCK_BYTES)];
  let first: Promise<number> | null = null;
  let written: Promise<number> | null = null;
  for (let at = 0, turn = 0; at < bytes; at += BLOCK_BYTES, turn = 1 - turn) {
    const block = blocks[turn].subarray(0, bytes - at);
    yield* words(block, size);
    if (written !== null) yield written;
    written = spill.append([block]);
    // The error is thrown when the promise is awaited.
    written.catch(() => undefined);
    first ??= written;
  }
  if (written !== null) yield written;
  return {
    ...{ kind: "spilled", of, length, attributes: NO_ATTRIBUTES },
    readInto: async (start, target) => spill.read(((await first) ?? 0) + size * start, target),
  };
}
