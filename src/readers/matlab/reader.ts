/** The MATLAB reader, as the table of formats wants it. */

import { Turns } from "../in-order.js";
import type { Reader } from "../reader.js";
import { readMatlab } from "./read.js";

export const matlabReader: Reader = async (container, root, options) => {
  const warnings: string[] = [];
  const plans = await readMatlab(root, {
    container,
    text: options.text,
    turns: new Turns(),
    options: options.signal === undefined ? {} : { signal: options.signal },
    warn: (message) => warnings.push(message),
  });
  return { ...plans, warnings };
};
