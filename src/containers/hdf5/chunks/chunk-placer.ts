/** Copies chunks to where their values belong. */

/** Below so many bytes a loop is faster than a view and a copy. */
const SHORT_RUN = 64;

/** Copies what the chunk at `offset`, whose bytes these are, shares with the rows. */
export type PlaceChunk = (offset: readonly number[], bytes: Uint8Array) => void;

/** @param target rows [start, end) of an array of this shape, in C order. */
export function chunkPlacer(
  shape: readonly number[],
  chunk: readonly number[],
  elementSize: number,
  start: number,
  end: number,
  target: Uint8Array,
): PlaceChunk {
  const rank = shape.length;
  const from = strides(chunk, elementSize);
  const to = strides(shape, elementSize);
  // Dimensions from here on are whole in every chunk: what lies before them is copied in one piece.
  let whole = rank;
  while (whole > 1 && chunk[whole - 1] === shape[whole - 1]) whole--;
  const inner = whole - 1;
  const low = shape.map(() => 0);
  const high = shape.map(() => 0);
  const at = shape.map(() => 0);

  return (offset, bytes) => {
    let source = 0;
    let place = 0;
    for (let d = 0; d < rank; d++) {
      low[d] = d === 0 ? Math.max(offset[0], start) : offset[d];
      high[d] = Math.min(offset[d] + chunk[d], d === 0 ? end : shape[d]);
      at[d] = low[d];
      source += (low[d] - offset[d]) * from[d];
      place += (low[d] - (d === 0 ? start : 0)) * to[d];
    }
    const run = (high[inner] - low[inner]) * to[inner];
    for (;;) {
      copy(bytes, source, target, place, run);
      let d = inner - 1;
      while (d >= 0) {
        source += from[d];
        place += to[d];
        if (++at[d] < high[d]) break;
        source -= (high[d] - low[d]) * from[d];
        place -= (high[d] - low[d]) * to[d];
        at[d] = low[d];
        d--;
      }
      if (d < 0) return;
    }
  };
}

/** Where all of the chunk at `offset` belongs; null where that is not one piece of the rows. */
export type ChunkSlot = (offset: readonly number[]) => Uint8Array | null;

/** @param target rows [start, end) of an array of this shape, in C order. */
export function chunkSlots(
  shape: readonly number[],
  chunk: readonly number[],
  elementSize: number,
  start: number,
  end: number,
  target: Uint8Array,
): ChunkSlot {
  if (chunk.some((size, d) => d > 0 && size !== shape[d])) return () => null;
  const rowBytes = strides(shape, elementSize)[0];
  return ([row]) => {
    if (row < start || row + chunk[0] > end) return null;
    return target.subarray((row - start) * rowBytes, (row + chunk[0] - start) * rowBytes);
  };
}

/** Bytes between neighbours along each dimension. */
function strides(shape: readonly number[], elementSize: number): number[] {
  const bytes = shape.map(() => elementSize);
  for (let d = shape.length - 2; d >= 0; d--) bytes[d] = bytes[d + 1] * shape[d + 1];
  return bytes;
}

function copy(bytes: Uint8Array, from: number, target: Uint8Array, to: number, length: number): void {
  if (length >= SHORT_RUN) target.set(bytes.subarray(from, from + length), to);
  else for (let i = 0; i < length; i++) target[to + i] = bytes[from + i];
}
