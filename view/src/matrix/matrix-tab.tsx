/** The tab `matrix`. */

import type { TabProps } from "../shell/app.js";

export function MatrixTab({ opened }: TabProps) {
  return <p>{opened.name}</p>;
}
