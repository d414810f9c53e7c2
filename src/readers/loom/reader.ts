/** The Loom reader, as the table of formats wants it. */

import { Turns } from "../in-order.js";
import type { Reader } from "../reader.js";
import { readLoom } from "./read.js";

export const loomReader: Reader = async (container, root, options) => {
  const warnings: string[] = [];
  const plans = await readLoom(root, {
    container,
    text: options.text,
    turns: new Turns(),
    options: options.signal === undefined ? {} : { signal: options.signal },
    warn: (message) => warnings.push(message),
  });
  return { ...plans, warnings };
};
