/** A reader, as the table of formats wants it, of what reads a root. */

import type { Group } from "../containers/container.js";
import { Visits } from "../containers/visits.js";
import type { Context } from "./context.js";
import { Turns } from "./in-order.js";
import type { DatasetPlans, Reader } from "./reader.js";

type ReadPlans = (root: Group, cx: Context) => Promise<Omit<DatasetPlans, "warnings">>;

/** What `read` warns of comes with its plans. */
export function readerOf(read: ReadPlans): Reader {
  return async (container, root, options) => {
    const warnings: string[] = [];
    const plans = await read(root, {
      container,
      text: options.text,
      turns: new Turns(),
      visits: options.visits ?? new Visits(),
      options: options.signal === undefined ? {} : { signal: options.signal },
      warn: (message) => warnings.push(message),
    });
    return { ...plans, warnings };
  };
}
