import { getWorkerPool } from "../../src/jobs/workers/pool.js";
import type { Threads } from "../../src/platform/platform.js";
import { replacePlatform } from "../platform.js";

/** Lets everything that follows run in these workers; null: in this thread. Those before end. */
export function useThreads(threads: Threads | null): void {
  getWorkerPool()?.stop();
  replacePlatform({ threads });
}
