/** What a task's parts may be asked for with. */

import type { ReadOptions } from "../../sources/source.js";
import type { BufferPool } from "../memory/buffer-pool.js";

export interface PartsOptions extends ReadOptions {
  /** Of messages; where there is any, those of the task come from it, and may go back to it. */
  readonly memory?: BufferPool;
}
