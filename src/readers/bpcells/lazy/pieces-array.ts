import type { StoredArray } from "../../../containers/tree/container.js";
import { InvalidInputError } from "../../../model/errors.js";
import { allocate } from "../../../model/stored.js";
import { putValues } from "./slices.js";

/** Parts of an array of numbers, one after another. */
export function piecesArray(
  array: StoredArray,
  pieces: readonly { readonly start: number; readonly end: number }[],
): StoredArray {
  const count = pieces.reduce((sum, { start, end }) => sum + end - start, 0);
  const { path, type } = array;
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), chunks: null, type },
    shape: [count],
    async read(start, end, options) {
      if (!(start >= 0 && start <= end && end <= count)) {
        throw new InvalidInputError(`values ${start} to ${end} of ${count}`, { element: path });
      }
      const values = allocate(type, end - start);
      let before = 0;
      for (const piece of pieces) {
        const from = Math.max(start, before);
        const to = Math.min(end, before + piece.end - piece.start);
        if (from < to) {
          const shift = piece.start - before;
          const read = await array.read(from + shift, to + shift, options);
          if (read.kind === "fixed") putValues(values, from - start, read.values, 0, to - from);
        }
        before += piece.end - piece.start;
      }
      return { kind: "fixed", values };
    },
  };
}
