/** What runs in the page of workers.test.ts: bundled with the default entry, the worker's entry beside it. */

import { open } from "../../packages/published/src/index.js";

export interface Walk {
  /** Workers that were started. */
  readonly workers: number;
  /** What the library warned of. */
  readonly warnings: readonly string[];
  readonly rows: number;
  readonly sum: number;
}

declare global {
  interface Window {
    /** Reads X of the file at `url`, which the page has as a `File`. */
    walk(url: string): Promise<Walk>;
  }
}

let workers = 0;
window.Worker = class extends Worker {
  constructor(url: string | URL, options?: WorkerOptions) {
    super(url, options);
    workers++;
  }
};

const warnings: string[] = [];
console.warn = (warning: string) => warnings.push(warning);

window.walk = async (url) => {
  workers = 0;
  const data = await open(new File([await (await fetch(url)).arrayBuffer()], "large.zarr.zip"));
  let rows = 0;
  let sum = 0;
  for await (const batch of data.table("X").batches()) {
    rows += batch.numRows;
    for (const column of ["row", "col", "value"]) {
      const values: Iterable<number> = batch.getChild(column)?.toArray() ?? [];
      for (const value of values) sum += value;
    }
  }
  await data.close();
  return { workers, warnings, rows, sum };
};
