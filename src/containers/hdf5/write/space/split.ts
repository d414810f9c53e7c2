/**
 * Where the parts begin into which `count` things are cut, each of at most `most`. All are full but for the last two,
 * which share what is left where the last had less than half. At least one part, be it empty.
 */
export function split(count: number, most: number): number[] {
  const starts = [0];
  for (let start = most; start < count; start += most) starts.push(start);
  const parts = starts.length;
  const last = count - starts[parts - 1];
  if (parts > 1 && last < most >> 1) starts[parts - 1] = starts[parts - 2] + ((most + last + 1) >> 1);
  return starts;
}
