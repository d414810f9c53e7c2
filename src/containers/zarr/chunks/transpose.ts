import { InvalidDataError } from "../../../model/errors.js";
import type { ZarrChunk } from "../codecs/codec.js";
import type { JsonObject } from "../metadata/json.js";
import { integersOf, show } from "../metadata/json-fields.js";
import { strides } from "./runs.js";

/**
 * Parses the permutation of a `transpose` codec: axis i of the stored chunk is axis `order[i]` of the array. Older
 * documents have the letters C and F.
 * @throws {InvalidDataError} where it is not a permutation of `rank` axes.
 */
export function parseOrder(configuration: JsonObject, rank: number): number[] {
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  if (configuration.order === "C") return axes;
  if (configuration.order === "F") return axes.reverse();
  const order = integersOf(configuration.order, "order of transpose", 0);
  if (order.length !== rank || axes.some((axis) => !order.includes(axis))) {
    throw new InvalidDataError(`order ${show(configuration.order)} is no permutation of ${rank} axes`);
  }
  return order;
}

/**
 * Brings the items of a chunk of `shape`, stored with its axes in `order`, into C order.
 * @param size the bytes of an item, null for items of variable size.
 */
export function untranspose(
  chunk: ZarrChunk,
  shape: readonly number[],
  order: readonly number[],
  size: number | null,
): ZarrChunk {
  if (order.every((axis, i) => axis === i)) return chunk;
  const stored = strides(order.map((axis) => shape[axis]));
  const steps = new Array<number>(shape.length);
  order.forEach((axis, i) => {
    steps[axis] = stored[i];
  });
  return chunk.kind === "fixed"
    ? { kind: "fixed", bytes: gatherFixed(chunk.bytes, shape, steps, size ?? 1) }
    : gatherVariable(chunk, shape, steps);
}

/** Calls `visit` with the first source position of every row (last axis) of `shape`, in C order. */
function eachRow(shape: readonly number[], steps: readonly number[], visit: (source: number) => void): void {
  if (shape.some((size) => size === 0)) return;
  const position = new Array<number>(shape.length - 1).fill(0);
  let source = 0;
  for (;;) {
    visit(source);
    let axis = position.length - 1;
    for (; axis >= 0; axis--) {
      source += steps[axis];
      if (++position[axis] < shape[axis]) break;
      source -= shape[axis] * steps[axis];
      position[axis] = 0;
    }
    if (axis < 0) return;
  }
}

function gatherFixed(bytes: Uint8Array, shape: readonly number[], steps: readonly number[], size: number): Uint8Array {
  const out = new Uint8Array(bytes.length);
  const columns = shape[shape.length - 1];
  const step = steps[steps.length - 1];
  let at = 0;
  if (size === 4) {
    const source = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
    const from = new Uint32Array(source.buffer, source.byteOffset, source.length / 4);
    const to = new Uint32Array(out.buffer);
    eachRow(shape, steps, (start) => {
      for (let i = 0, p = start; i < columns; i++, p += step) to[at++] = from[p];
    });
    return out;
  }
  eachRow(shape, steps, (start) => {
    for (let i = 0, p = start * size; i < columns; i++, p += step * size) {
      for (let byte = 0; byte < size; byte++) out[at++] = bytes[p + byte];
    }
  });
  return out;
}

function gatherVariable(
  chunk: ZarrChunk & { kind: "variable" },
  shape: readonly number[],
  steps: readonly number[],
): ZarrChunk {
  const offsets = new Int32Array(chunk.offsets.length);
  const bytes = new Uint8Array(chunk.offsets[chunk.offsets.length - 1]);
  const columns = shape[shape.length - 1];
  const step = steps[steps.length - 1];
  let at = 0;
  eachRow(shape, steps, (start) => {
    for (let i = 0, p = start; i < columns; i++, p += step) {
      bytes.set(chunk.bytes.subarray(chunk.offsets[p], chunk.offsets[p + 1]), offsets[at]);
      offsets[at + 1] = offsets[at] + chunk.offsets[p + 1] - chunk.offsets[p];
      at++;
    }
  });
  return { kind: "variable", offsets, bytes };
}
