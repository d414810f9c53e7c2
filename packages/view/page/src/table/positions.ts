/** Positions of the rows that match the conditions, in the requested order. */

import type { ViewRequest } from "annarrow/view";
import type { Connection } from "../data/connection.js";

export async function positionsOf(
  connection: Connection,
  request: ViewRequest & { call: "positions" },
  signal: AbortSignal,
): Promise<Uint32Array> {
  let found = new Uint32Array(1024);
  let count = 0;
  for await (const batch of connection.batches(request, { signal })) {
    const column = batch.getChildAt(0);
    for (const data of column?.data ?? []) {
      const values: ArrayLike<number | bigint> = data.values;
      if (count + data.length > found.length) {
        const larger = new Uint32Array(Math.max(2 * found.length, count + data.length));
        larger.set(found.subarray(0, count));
        found = larger;
      }
      for (let index = 0; index < data.length; index++) found[count + index] = Number(values[index]);
      count += data.length;
    }
  }
  return found.subarray(0, count);
}
