/**
 * Where blocks lie in the address space of a fractal heap: rows of equally many blocks, of the first size in the first
 * two rows, and of twice the size in each row that follows. Source: HDF5 File Format Specification, III.G.
 */

export interface DoublingTable {
  /** Blocks in a row; a power of two, as all sizes here are. */
  readonly width: number;
  readonly startBytes: number;
  /** Rows of larger blocks hold indirect blocks, each with a table of its own over as many bytes. */
  readonly maxDirectBytes: number;
}

export interface TableEntry {
  readonly row: number;
  /** Counted over all rows. */
  readonly index: number;
  /** Where the block begins, from the start of the table on. */
  readonly start: number;
  readonly bytes: number;
}

/** The block that byte `offset` of the table falls into. */
export function findEntry({ width, startBytes }: DoublingTable, offset: number): TableEntry {
  let row = 0;
  let rowStart = 0;
  let bytes = startBytes;
  for (let end = width * startBytes; offset >= end; end *= 2) {
    if (row > 0) bytes *= 2;
    rowStart = end;
    row++;
  }
  const column = Math.floor((offset - rowStart) / bytes);
  return { row, index: row * width + column, start: rowStart + column * bytes, bytes };
}

/** Rows of direct blocks, before those of indirect ones. */
export function directRows({ startBytes, maxDirectBytes }: DoublingTable): number {
  return Math.log2(maxDirectBytes) - Math.log2(startBytes) + 2;
}

/** Rows in an indirect block that stands for `bytes` bytes of its parent. */
export function rowsFor({ width, startBytes }: DoublingTable, bytes: number): number {
  return Math.log2(bytes) - Math.log2(width * startBytes) + 1;
}
