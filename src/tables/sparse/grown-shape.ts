/** How large a sparse matrix has to be for all its entries, where the shape that its schema says may be of other rows. */

import type { ColumnTable } from "../column-table.js";
import { COORDINATES, coordinatesOf, intValues } from "./coordinates.js";
import { coordinatesOfLists } from "./entry-lists.js";
import { grownSize } from "./slice-counts.js";

/** `shape`, enlarged so that all entries lie in it. What becomes too large stays, and is an error of the writer. */
export async function grownShape(
  table: ColumnTable,
  shape: [number, number],
  signal?: AbortSignal,
): Promise<[number, number]> {
  const coordinates = await coordinatesOfLists(table);
  const places = coordinatesOf(coordinates.fields);
  if (places === null) return shape;
  const size: [number, number] = [...shape];
  for await (const { columns } of coordinates.batches({ reuse: true, ...(signal ? { signal } : {}) })) {
    for (const dimension of [0, 1] as const) {
      const positions = intValues(columns[places[dimension]], COORDINATES[dimension], table.name);
      size[dimension] = grownSize(size[dimension], positions);
    }
  }
  return size;
}
