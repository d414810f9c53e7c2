/** A box of array elements, given by its start and shape. */
export interface Box {
  readonly start: readonly number[];
  readonly shape: readonly number[];
}

/**
 * Calls `visit` for every run of elements that are contiguous in both boxes, which are stored in C order. `target` and
 * `source` count elements from the start of each box. Elements outside either box are skipped.
 */
export function visitSharedRanges(
  target: Box,
  source: Box,
  visit: (target: number, source: number, length: number) => void,
): void {
  const rank = target.shape.length;
  const low: number[] = [];
  const size: number[] = [];
  for (let axis = 0; axis < rank; axis++) {
    low.push(Math.max(target.start[axis], source.start[axis]));
    const high = Math.min(target.start[axis] + target.shape[axis], source.start[axis] + source.shape[axis]);
    size.push(high - low[axis]);
    if (size[axis] <= 0) return;
  }

  // Trailing axes that both boxes contain completely form one run together with the axis before them.
  let split = Math.max(rank - 1, 0);
  let length = rank === 0 ? 1 : size[split];
  while (split > 0 && size[split] === target.shape[split] && size[split] === source.shape[split]) {
    split--;
    length *= size[split];
  }

  const targetStrides = computeStrides(target.shape);
  const sourceStrides = computeStrides(source.shape);
  let to = 0;
  let from = 0;
  for (let axis = 0; axis < rank; axis++) {
    to += (low[axis] - target.start[axis]) * targetStrides[axis];
    from += (low[axis] - source.start[axis]) * sourceStrides[axis];
  }

  const position = new Array<number>(split).fill(0);
  for (;;) {
    visit(to, from, length);
    let axis = split - 1;
    for (; axis >= 0; axis--) {
      to += targetStrides[axis];
      from += sourceStrides[axis];
      if (++position[axis] < size[axis]) break;
      to -= size[axis] * targetStrides[axis];
      from -= size[axis] * sourceStrides[axis];
      position[axis] = 0;
    }
    if (axis < 0) return;
  }
}

/** Returns the number of elements between consecutive indices of each axis, in C order. */
export function computeStrides(shape: readonly number[]): number[] {
  const result = new Array<number>(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    result[axis] = stride;
    stride *= shape[axis];
  }
  return result;
}

/** Yields, in C order, the grid positions of the cells with shape `cell` that overlap `box`. */
export function* listTouchedCells(box: Box, cell: readonly number[]): Generator<number[]> {
  if (box.shape.some((size) => size === 0)) return;
  const first = box.start.map((start, axis) => Math.floor(start / cell[axis]));
  const last = box.start.map((start, axis) => Math.floor((start + box.shape[axis] - 1) / cell[axis]));
  const position = [...first];
  for (;;) {
    yield [...position];
    let axis = position.length - 1;
    for (; axis >= 0; axis--) {
      if (++position[axis] <= last[axis]) break;
      position[axis] = first[axis];
    }
    if (axis < 0) return;
  }
}

/** Returns the intersection of two boxes. The size is 0 along every axis on which they do not overlap. */
export function intersectBoxes(a: Box, b: Box): Box {
  const start = a.start.map((low, axis) => Math.max(low, b.start[axis]));
  const shape = start.map((low, axis) => {
    return Math.max(0, Math.min(a.start[axis] + a.shape[axis], b.start[axis] + b.shape[axis]) - low);
  });
  return { start, shape };
}
