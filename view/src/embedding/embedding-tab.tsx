/** The tab `embedding`. */

import type { TabProps } from "../shell/app.js";

export function EmbeddingTab({ opened }: TabProps) {
  return <p>{opened.name}</p>;
}
