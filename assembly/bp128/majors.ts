/** The major positions of a compressed matrix's entries, from its pointers. */

/**
 * Writes `first` for the entries before the second pointer, the next number for the entries before the third, and so
 * on. The entries begin at `start`, at or behind the first pointer, and stop at `end`, at or before the last of `count`
 * + 1 pointers. Up to 12 bytes behind them change as well.
 */
export function expand(pointers: usize, count: u32, first: u32, start: f64, end: f64, out: usize): void {
  let from = out;
  for (let i: u32 = 0; i < count; i++) {
    pointers += 8;
    const stop = out + (<usize>(min(load<f64>(pointers), end) - start) << 2);
    const four = i32x4.splat(first + i);
    for (; from + 64 <= stop; from += 64) {
      v128.store(from, four);
      v128.store(from, four, 16);
      v128.store(from, four, 32);
      v128.store(from, four, 48);
    }
    for (; from < stop; from += 16) v128.store(from, four);
    from = stop;
  }
}
