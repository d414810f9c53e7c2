/** Active cell and selected range of a grid, and their movement by keys. */

export interface Cell {
  readonly row: number;
  readonly column: number;
}

export interface Range {
  /** Cell where the range begins. */
  readonly anchor: Cell;
  /** Cell where the range ends: the active cell. */
  readonly active: Cell;
}

export interface Bounds {
  readonly rows: readonly [number, number];
  readonly columns: readonly [number, number];
}

export interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** Number of rows per page. */
  readonly page: number;
}

/** Returns the rows and columns of a range, with exclusive ends. */
export function boundsOf({ anchor, active }: Range): Bounds {
  return {
    rows: [Math.min(anchor.row, active.row), Math.max(anchor.row, active.row) + 1],
    columns: [Math.min(anchor.column, active.column), Math.max(anchor.column, active.column) + 1],
  };
}

export function isWithin({ rows, columns }: Bounds, { row, column }: Cell): boolean {
  return row >= rows[0] && row < rows[1] && column >= columns[0] && column < columns[1];
}

export interface Keys {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** Returns the range after a key press; null for a key that does not move it. */
export function moved(range: Range, keys: Keys, { rows, columns, page }: GridSize): Range | null {
  const { row, column } = range.active;
  const isFar = keys.ctrlKey || keys.metaKey;
  const target: Cell | undefined = {
    ArrowUp: { row: isFar ? 0 : row - 1, column },
    ArrowDown: { row: isFar ? rows - 1 : row + 1, column },
    ArrowLeft: { row, column: isFar ? 0 : column - 1 },
    ArrowRight: { row, column: isFar ? columns - 1 : column + 1 },
    PageUp: { row: row - page, column },
    PageDown: { row: row + page, column },
    Home: isFar ? { row: 0, column: 0 } : { row, column: 0 },
    End: isFar ? { row: rows - 1, column: columns - 1 } : { row, column: columns - 1 },
  }[keys.key];
  if (target === undefined) return null;
  const active = { row: clamp(target.row, rows), column: clamp(target.column, columns) };
  return { anchor: keys.shiftKey ? range.anchor : active, active };
}

function clamp(value: number, count: number): number {
  return Math.min(Math.max(value, 0), Math.max(count - 1, 0));
}
