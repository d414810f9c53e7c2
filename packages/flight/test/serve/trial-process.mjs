/** The process in which files are tried, for a test: by their names some never open, and some are replaced meanwhile. */

import { copyFileSync, renameSync } from "node:fs";

const memory = [];

await import(new URL("../../../../dist/jobs/trial-process.node.js", import.meta.url).href);

process.on("message", (path) => {
  if (path.endsWith("endless.h5ad")) for (;;);
  if (path.endsWith("large.h5ad")) for (;;) memory.push(new Uint8Array(2 ** 22).fill(1));
  if (path.endsWith("crash.h5ad")) process.abort();
  if (path.endsWith("replaced.h5ad")) {
    copyFileSync(path, `${path}.other`);
    renameSync(`${path}.other`, path);
  }
});
