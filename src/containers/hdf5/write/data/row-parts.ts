/** Rows that are cut into several chunks side by side. */
export interface RowParts {
  /** How many chunks. */
  readonly columns: number;
  /** Whether a part of chunk `column` lies beyond the row's end. */
  isEdge(column: number): boolean;
  /** Copies `rows` rows to where they belong in the chunks, from byte `out` of each. */
  scatter(bytes: Uint8Array, rows: number, chunks: readonly Uint8Array[], out: number): void;
}

/** A stretch of bytes that is in one piece both in the row and in the chunk. */
interface Run {
  readonly column: number;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/**
 * @param rowShape the shape of a row; `chunk` that of its part in a chunk. Neither has a dimension of 0.
 */
export function rowParts(rowShape: readonly number[], chunk: readonly number[], elementBytes: number): RowParts {
  const counts = rowShape.map((size, d) => Math.ceil(size / chunk[d]));
  const columns = counts.reduce((a, b) => a * b, 1);
  const bytes = (shape: readonly number[]) => shape.reduce((a, b) => a * b, elementBytes);
  const [rowBytes, chunkRowBytes] = [bytes(rowShape), bytes(chunk)];
  const origin = (column: number): number[] => {
    const at: number[] = [];
    for (let d = rowShape.length - 1, rest = column; d >= 0; d--) {
      at[d] = (rest % counts[d]) * chunk[d];
      rest = Math.floor(rest / counts[d]);
    }
    return at;
  };
  const runs: Run[] = [];
  for (let column = 0; column < columns; column++) {
    addRuns(runs, column, origin(column), rowShape, chunk, elementBytes);
  }
  return {
    columns,
    isEdge: (column) => origin(column).some((at, d) => at + chunk[d] > rowShape[d]),
    scatter(from, rows, chunks, out) {
      for (const run of runs) {
        const target = chunks[run.column];
        for (let r = 0; r < rows; r++) {
          const at = r * rowBytes + run.from;
          target.set(from.subarray(at, at + run.bytes), out + r * chunkRowBytes + run.to);
        }
      }
    },
  };
}

function addRuns(
  runs: Run[],
  column: number,
  origin: readonly number[],
  shape: readonly number[],
  chunk: readonly number[],
  elementBytes: number,
): void {
  const last = shape.length - 1;
  const extent = shape.map((size, d) => Math.min(chunk[d], size - origin[d]));
  const lines = extent.slice(0, last).reduce((a, b) => a * b, 1);
  for (let line = 0; line < lines; line++) {
    let [from, to, rest] = [origin[last], 0, line];
    let [fromStep, toStep] = [shape[last], chunk[last]];
    for (let d = last - 1; d >= 0; d--) {
      const at = rest % extent[d];
      rest = Math.floor(rest / extent[d]);
      from += (origin[d] + at) * fromStep;
      to += at * toStep;
      fromStep *= shape[d];
      toStep *= chunk[d];
    }
    runs.push({ column, from: from * elementBytes, to: to * elementBytes, bytes: extent[last] * elementBytes });
  }
}
