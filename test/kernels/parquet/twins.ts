/** Slow and obvious versions of the Parquet encodings, written with bigints and texts of bits. */

/** Bits of each value, lowest first, padded to whole bytes. */
export function slowPacked(values: readonly bigint[], width: number): number[] {
  const bits = values.flatMap((value) => Array.from({ length: width }, (_, i) => Number((value >> BigInt(i)) & 1n)));
  while (bits.length % 8 !== 0) bits.push(0);
  return Array.from({ length: bits.length / 8 }, (_, byte) =>
    bits.slice(8 * byte, 8 * byte + 8).reduce((sum, bit, i) => sum + bit * 2 ** i, 0),
  );
}

export function slowVarint(value: bigint): number[] {
  return value < 128n ? [Number(value)] : [Number(value & 127n) + 128, ...slowVarint(value >> 7n)];
}

function zigzag(value: bigint): bigint {
  return value < 0n ? -2n * value - 1n : 2n * value;
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** DELTA_BINARY_PACKED with blocks of 128 and miniblocks of 32; `values` are signed, of `bits` bits. */
export function slowDelta(values: readonly bigint[], bits: 32 | 64): number[] {
  const out = [128n, 4n, BigInt(values.length), zigzag(values[0] ?? 0n)].flatMap(slowVarint);
  const deltas = values.slice(1).map((value, i) => BigInt.asIntN(bits, value - values[i]));
  for (let at = 0; at < deltas.length; at += 128) {
    const block = deltas.slice(at, at + 128);
    const base = [...block].sort((a, b) => (a < b ? -1 : 1))[0];
    const above = block.map((delta) => BigInt.asUintN(bits, delta - base));
    const miniblocks = [0, 32, 64, 96].map((from) => above.slice(from, from + 32));
    const widths = miniblocks.map((miniblock) => Math.max(0, ...miniblock.map(bitLength)));
    out.push(...slowVarint(zigzag(base)), ...widths);
    miniblocks.forEach((miniblock, i) => {
      if (miniblock.length === 0) return;
      out.push(...slowPacked([...miniblock, ...Array(32 - miniblock.length).fill(0n)], widths[i]));
    });
  }
  return out;
}

/** What a reader makes of the run-length and bit-packing hybrid: the first `count` values. */
export function slowUnhybrid(bytes: readonly number[], count: number, width: number): number[] {
  const values: number[] = [];
  let at = 0;
  while (values.length < count) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      if (at >= bytes.length) throw new Error(`ends after ${values.length} of ${count} values`);
      const byte = bytes[at++];
      header += (byte % 128) * 2 ** shift;
      if (byte < 128) break;
    }
    if (header % 2 === 0) {
      const size = Math.ceil(width / 8);
      const value = bytes.slice(at, at + size).reduce((sum, byte, i) => sum + byte * 256 ** i, 0);
      at += size;
      values.push(...Array(header / 2).fill(value));
    } else {
      const size = ((header - 1) / 2) * width;
      const bits = bytes.slice(at, at + size).flatMap((byte) => Array.from({ length: 8 }, (_, i) => (byte >> i) & 1));
      at += size;
      for (let i = 0; i < 4 * (header - 1); i++) {
        values.push(bits.slice(i * width, (i + 1) * width).reduce((sum, bit, k) => sum + bit * 2 ** k, 0));
      }
    }
  }
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes too many`);
  return values.slice(0, count);
}

/** Distinct values in the order of their first appearance. */
export function slowDictionary(values: readonly bigint[]): { entries: bigint[]; indices: number[] } {
  const entries = [...new Set(values)];
  return { entries, indices: values.map((value) => entries.indexOf(value)) };
}

/** The least and the greatest number that is one. */
export function slowFloatRange(values: readonly number[]): readonly [number, number] | null {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  return sorted.length === 0 ? null : [sorted[0], sorted[sorted.length - 1]];
}
