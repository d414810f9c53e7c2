/** Returns up to three names that are most similar to `name` by edit distance, for messages. */
export function findNearestNames(name: string, names: readonly string[]): readonly string[] {
  return names
    .map((one) => ({ one, distance: distance(name.toLowerCase(), one.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ one }) => one);
}

/**
 * Returns the names that are so similar to `name` that one of them may be the intended name, nearest first.
 * @param meaningful number of letters to compare, of which a third may differ. For files, this is the number of letters
 * before the extension.
 */
export function findSimilarNames(name: string, names: readonly string[], meaningful = name.length): readonly string[] {
  const most = Math.max(1, Math.floor(meaningful / 3));
  return findNearestNames(name, names).filter((one) => distance(name.toLowerCase(), one.toLowerCase()) <= most);
}

/**
 * Levenshtein distance with transpositions. A name that matches apart from its folder or file prefix counts as near.
 */
function distance(a: string, b: string): number {
  if (b.endsWith(`/${a}`) || b.endsWith(`.${a}`)) return 0.5;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let k = 1; k <= b.length; k++) {
      const change = a[i - 1] === b[k - 1] ? 0 : 1;
      const isSwapped = i > 1 && k > 1 && a[i - 1] === b[k - 2] && a[i - 2] === b[k - 1];
      const swap = isSwapped ? before[k - 2] + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(row[k] + 1, next[k - 1] + 1, row[k - 1] + change, swap));
    }
    before = row;
    row = next;
  }
  return row[b.length];
}
