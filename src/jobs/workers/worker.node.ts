/** Serves tasks in a worker thread of Node. */

import { parentPort } from "node:worker_threads";
import { openLocalPlan } from "../../io/sources/blocking-file.node.js";
import { createRequestHandler } from "./serve.js";

/** Answers messages from the thread that started this thread. */
export function serveTasksInNode(): void {
  if (parentPort === null) throw new TypeError("this file is the entry of a worker");
  const port = parentPort;
  const handle = createRequestHandler((reply, transfer) => port.postMessage(reply, transfer), openLocalPlan);
  port.on("message", handle);
}
