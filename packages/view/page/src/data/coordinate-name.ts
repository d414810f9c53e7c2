/** Names of coordinates: a numeric column, or one number per row of a list column: `value[0]`, `value[1]`. */

export interface Coordinate {
  readonly column: string;
  /** Index into the list of each row; null for a numeric column. */
  readonly at: number | null;
}

/** Parses the column and list index in a coordinate name. */
export function coordinateOf(name: string): Coordinate {
  const found = /^(.*)\[(\d{1,6})\]$/su.exec(name);
  const [, column, at] = found ?? [];
  return column === undefined || at === undefined ? { column: name, at: null } : { column, at: Number(at) };
}
