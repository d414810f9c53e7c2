import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Threads } from "./platform.js";
import { threadArguments } from "./thread-arguments.node.js";

/** What a job decodes lies outside of the heap: a small nursery saves each worker some 10 MiB, and costs no time. */
const YOUNG = { maxYoungGenerationSizeMb: 4 };

/**
 * Worker threads.
 * @param entry the built file of `worker.node.ts`, which lies beside this one.
 */
export function nodeThreads(
  entry = new URL("./worker.node.js", import.meta.url),
  count = availableParallelism(),
): Threads {
  return {
    count,
    start({ reply, failure }) {
      const worker = new Worker(entry, { resourceLimits: YOUNG, execArgv: threadArguments() });
      worker.on("message", reply);
      worker.on("error", (error) => failure(error instanceof Error ? error.message : String(error)));
      worker.on("messageerror", () => failure("it sent what cannot be received"));
      worker.on("exit", (code) => failure(`it ended with code ${code}`));
      return {
        post: (request, transfer) => worker.postMessage(request, transfer),
        idle: () => worker.unref(),
        busy: () => worker.ref(),
        stop: () => void worker.terminate(),
      };
    },
  };
}
