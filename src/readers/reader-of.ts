/** A reader, as the table of formats wants it, of what reads a root. */

import type { Group } from "../containers/tree/container.js";
import { Visits } from "../containers/tree/visits.js";
import type { ReaderContext } from "./context.js";
import { ConcurrencyLimit } from "./in-order.js";
import type { DatasetPlans, Reader } from "./reader.js";

type ReadPlans = (root: Group, cx: ReaderContext) => Promise<Omit<DatasetPlans, "warnings">>;

/** What `read` warns of comes with its plans. */
export function readerOf(read: ReadPlans): Reader {
  return async (container, root, options) => {
    const warnings: string[] = [];
    const plans = await read(root, {
      container,
      text: options.text,
      turns: new ConcurrencyLimit(),
      visits: options.visits ?? new Visits(),
      options: options.signal === undefined ? {} : { signal: options.signal },
      warn: (message) => warnings.push(message),
    });
    return { ...plans, warnings };
  };
}
