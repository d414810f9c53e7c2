/** Names of coordinates: a column of numbers, or one of the numbers in each row of a column: `value[0]`, `value[1]`. */

export interface Coordinate {
  readonly column: string;
  /** Which number of the row; null where the column has one. */
  readonly at: number | null;
}

/** The column and the place that a name means. */
export function coordinateOf(name: string): Coordinate {
  const found = /^(.*)\[(\d{1,6})\]$/su.exec(name);
  const [, column, at] = found ?? [];
  return column === undefined || at === undefined ? { column: name, at: null } : { column, at: Number(at) };
}
