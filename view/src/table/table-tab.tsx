/** The tab `table`. */

import type { TabProps } from "../shell/app.js";

export function TableTab({ opened }: TabProps) {
  return <p>{opened.name}</p>;
}
