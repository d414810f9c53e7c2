/** Sums of unpacked values: of neighbours, or of all values with an equal index. */

/** Returns the sum of `count` values, exact below 2^53. */
export function sum(values: usize, count: u32): f64 {
  const mask = i64x2.splat(0xffffffff);
  let even = i64x2.splat(0);
  let odd = even;
  const end = values + (<usize>count << 2);
  const vectors = values + ((<usize>count & ~3) << 2);
  for (; values < vectors; values += 16) {
    const four = v128.load(values);
    even = i64x2.add(even, v128.and(four, mask));
    odd = i64x2.add(odd, i64x2.shr_u(four, 32));
  }
  const both = i64x2.add(even, odd);
  let total = <u64>i64x2.extract_lane(both, 0) + <u64>i64x2.extract_lane(both, 1);
  for (; values < end; values += 4) total += load<u32>(values);
  return <f64>total;
}

/** Adds each of `count` values to the 64-bit sum at its index. A sum must exist for every index. */
export function addAt(sums: usize, indices: usize, values: usize, count: u32): void {
  const end = values + (<usize>count << 2);
  const eights = values + ((<usize>count & ~7) << 2);
  // Eight values are unrolled, because a jump to the next round costs as much as one of them.
  for (; values < eights; values += 32, indices += 32) {
    addTwo(sums, load<u64>(indices), load<u64>(values));
    addTwo(sums, load<u64>(indices, 8), load<u64>(values, 8));
    addTwo(sums, load<u64>(indices, 16), load<u64>(values, 16));
    addTwo(sums, load<u64>(indices, 24), load<u64>(values, 24));
  }
  for (; values < end; values += 4, indices += 4) addOne(sums, load<u32>(indices), load<u32>(values));
}

/** Turns `count` 64-bit sums into floats, exact below 2^53. */
export function toFloats(sums: usize, count: u32): void {
  for (const end = sums + (<usize>count << 3); sums < end; sums += 8) store<f64>(sums, <f64>load<u64>(sums));
}

// @ts-ignore: decorator
@inline
function addTwo(sums: usize, indices: u64, values: u64): void {
  addOne(sums, <u32>indices, <u32>values);
  addOne(sums, <u32>(indices >> 32), <u32>(values >> 32));
}

// @ts-ignore: decorator
@inline
function addOne(sums: usize, index: u32, value: u32): void {
  const at = sums + (<usize>index << 3);
  store<u64>(at, load<u64>(at) + value);
}
