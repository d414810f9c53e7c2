/** A stored matrix slice by slice, checked as it is read. */

import type { SparsePlan } from "../../../jobs/plan/plan.js";
import { narrowWithin } from "../../../kernels/sparse/indices.js";
import { firstDecrease, pointersToNumbers } from "../../../kernels/sparse/indptr.js";
import { InvalidDataError, located, UnsupportedError } from "../../../model/errors.js";
import type { IntArray, NumberArray, StoredValues } from "../../../model/stored.js";
import type { ReadOptions } from "../../../sources/source.js";
import { checkedAxis, type SliceMatrix, type Slices } from "./slices.js";

/** @throws {UnsupportedError} for values that are no numbers, and for axes that R has not. */
export function storedSlices({ shape, order, nnz, data, indices, indptr }: SparsePlan): SliceMatrix {
  const [outer, inner] = order === "row" ? shape : [shape[1], shape[0]];
  checkedAxis(inner);
  const { type } = data;
  if (type.kind !== "int" && !(type.kind === "float" && type.bits > 16)) {
    throw new UnsupportedError(`a lazy operation on ${type.kind} values`, { element: data.path });
  }

  const pointers = (from: number, to: number, options: ReadOptions): Promise<Float64Array> =>
    located({ element: indptr.path }, async () => {
      const found = pointersToNumbers(integers(await indptr.read(from, to + 1, options)));
      const wrong = firstDecrease(found);
      if (wrong >= 0) {
        throw new InvalidDataError(`pointer ${from + wrong} is ${found[wrong]}, smaller than the one before it`);
      }
      const last = found[found.length - 1];
      if (from === 0 && found[0] !== 0) throw new InvalidDataError(`the first pointer is ${found[0]}, not 0`);
      if (last > nnz || (to === outer && last !== nnz)) {
        throw new InvalidDataError(`pointer ${to} is ${last}, there are ${nnz} values`);
      }
      return found;
    });

  return {
    inner,
    outer,
    type,
    counts: async (from, to, options) => differences(await pointers(from, to, options)),
    async slices(from, to, withValues, options): Promise<Slices> {
      const found = await pointers(from, to, options);
      const [start, end] = [found[0], found[found.length - 1]];
      const [stored, values] = await Promise.all([
        indices.read(start, end, options),
        withValues ? data.read(start, end, options) : null,
      ]);
      const positions = new Int32Array(end - start);
      await located({ element: indices.path }, () => {
        const wrong = narrowWithin(integers(stored), inner, positions);
        if (wrong >= 0) throw new InvalidDataError(`index ${start + wrong} is not in 0 … ${inner - 1}`);
      });
      return { counts: differences(found), indices: positions, values: values === null ? null : numbers(values) };
    },
  };
}

function differences(pointers: Float64Array): Float64Array {
  return Float64Array.from({ length: pointers.length - 1 }, (_, i) => pointers[i + 1] - pointers[i]);
}

function integers(values: StoredValues): IntArray {
  const found = numbers(values);
  if (found instanceof Float32Array || found instanceof Float64Array) throw new InvalidDataError("no integers");
  return found;
}

function numbers(values: StoredValues): NumberArray {
  if (values.kind === "fixed") return values.values;
  throw new InvalidDataError("no numbers");
}
