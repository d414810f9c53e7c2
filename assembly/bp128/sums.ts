/** Sums of unpacked values: of a row in stored order, or of each column that an entry is in. */

/** The sum of `count` values, exact below 2^53. */
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

/** Adds each of `count` values to the sum at its index; every index has one. */
export function addAt(sums: usize, indices: usize, values: usize, count: u32): void {
  const end = values + (<usize>count << 2);
  for (; values < end; values += 4, indices += 4) {
    const at = sums + (<usize>load<u32>(indices) << 3);
    store<f64>(at, load<f64>(at) + <f64>load<u32>(values));
  }
}
