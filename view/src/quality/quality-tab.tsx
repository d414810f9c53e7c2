/** The tab `quality`. */

import type { TabProps } from "../shell/app.js";

export function QualityTab({ opened }: TabProps) {
  return <p>{opened.name}</p>;
}
