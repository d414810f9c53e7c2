/** The AnnData reader, as the table of formats wants it. */

import { Turns } from "../in-order.js";
import type { Reader } from "../reader.js";
import { readAnnData } from "./read.js";

export const anndataReader: Reader = async (container, root, options) => {
  const warnings: string[] = [];
  const cx = {
    container,
    text: options.text,
    turns: new Turns(),
    options: options.signal === undefined ? {} : { signal: options.signal },
    warn: (message: string) => warnings.push(message),
  };
  const plans = await readAnnData(root, cx);
  return { ...plans, warnings };
};
