/** The tab `sql`. */

import type { TabProps } from "../shell/app.js";

export function SqlTab({ opened }: TabProps) {
  return <p>{opened.name}</p>;
}
