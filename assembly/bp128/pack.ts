/** Packing of values to words. */

import { CHUNK_BYTES, D1, D1Z, M1, PLAIN } from "./kinds";

/** Memory for a chunk of transformed values. */
const TRANSFORMED: usize = memory.data(512, 16);

// @ts-ignore: decorator
@inline
export function packChunks(
  kind: i32,
  values: usize,
  data: usize,
  idx: usize,
  starts: usize,
  chunks: u32,
  position: u32,
): u32 {
  const begin = data;
  store<u32>(idx, position);
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    const width = transform(kind, values);
    if (width == 32) {
      // A chunk of width 32 has the unchanged values, whatever the kind.
      memory.copy(data, values, CHUNK_BYTES);
    } else if (width > 0) {
      packChunk(width, kind == PLAIN ? values : TRANSFORMED, data);
    }
    data += <usize>width << 4;
    idx += 4;
    store<u32>(idx, position + <u32>((data - begin) >> 2));
    if (kind == D1 || kind == D1Z) {
      store<u32>(starts, load<u32>(values));
      starts += 4;
    }
    values += CHUNK_BYTES;
  }
  return <u32>((data - begin) >> 2);
}

/**
 * Writes the transformed values of a chunk to `TRANSFORMED`, unless its values are packed unchanged. Returns the
 * chunk's width.
 */
// @ts-ignore: decorator
@inline
function transform(kind: i32, values: usize): u32 {
  let bits = i32x4.splat(0);
  let before = i32x4.splat(load<u32>(values));
  let value = before;
  let changed = before;
  let out = TRANSFORMED;
  for (const end = values + CHUNK_BYTES; values < end; values += 64) {
    value = v128.load(values);
    changed = change(kind, value, before);
    bits = v128.or(bits, changed);
    if (kind != PLAIN) v128.store(out, changed);
    before = value;
    value = v128.load(values, 16);
    changed = change(kind, value, before);
    bits = v128.or(bits, changed);
    if (kind != PLAIN) v128.store(out, changed, 16);
    before = value;
    value = v128.load(values, 32);
    changed = change(kind, value, before);
    bits = v128.or(bits, changed);
    if (kind != PLAIN) v128.store(out, changed, 32);
    before = value;
    value = v128.load(values, 48);
    changed = change(kind, value, before);
    bits = v128.or(bits, changed);
    if (kind != PLAIN) v128.store(out, changed, 48);
    before = value;
    out += 64;
  }
  const low = i64x2.extract_lane(bits, 0) | i64x2.extract_lane(bits, 1);
  return 32 - <u32>clz<u32>(<u32>(low | (low >>> 32)));
}

/** Transforms four values; `before` are the four values in front of them. */
// @ts-ignore: decorator
@inline
function change(kind: i32, value: v128, before: v128): v128 {
  if (kind == PLAIN) return value;
  if (kind == M1) return i32x4.sub(value, i32x4.splat(1));
  const difference = i32x4.sub(value, v128.shuffle<i32>(before, value, 3, 4, 5, 6));
  if (kind == D1) return difference;
  return v128.xor(i32x4.shl(difference, 1), i32x4.shr_s(difference, 31));
}

/** Packs a chunk with a width of 1 … 31. */
function packChunk(width: u32, values: usize, data: usize): void {
  let word = i32x4.splat(0);
  let value = word;
  let shift: u32 = 0;
  // Four steps are unrolled, because a jump to the next round costs as much as one of them.
  for (const end = values + CHUNK_BYTES; values < end; values += 64) {
    value = v128.load(values);
    word = v128.or(word, i32x4.shl(value, shift));
    shift += width;
    if (shift >= 32) {
      shift -= 32;
      v128.store(data, word);
      data += 16;
      word = i32x4.shr_u(value, width - shift);
    }
    value = v128.load(values, 16);
    word = v128.or(word, i32x4.shl(value, shift));
    shift += width;
    if (shift >= 32) {
      shift -= 32;
      v128.store(data, word);
      data += 16;
      word = i32x4.shr_u(value, width - shift);
    }
    value = v128.load(values, 32);
    word = v128.or(word, i32x4.shl(value, shift));
    shift += width;
    if (shift >= 32) {
      shift -= 32;
      v128.store(data, word);
      data += 16;
      word = i32x4.shr_u(value, width - shift);
    }
    value = v128.load(values, 48);
    word = v128.or(word, i32x4.shl(value, shift));
    shift += width;
    if (shift >= 32) {
      shift -= 32;
      v128.store(data, word);
      data += 16;
      word = i32x4.shr_u(value, width - shift);
    }
  }
}
