/**
 * Serves tasks in a Web Worker. A page or its bundler starts the worker by URL, so the worker is a separate file (see
 * `new URL("./worker.js", import.meta.url)` in platform/web.ts). The package publishes this file with schemes.
 */

import { createRequestHandler } from "./serve.js";

/**
 * Answers the page's messages. A page has no file paths that a worker could open, so there is no function for files.
 */
export function serveTasksInPage(): void {
  const handle = createRequestHandler((reply, transfer) => postMessage(reply, { transfer }), null);
  addEventListener("message", ({ data }) => handle(data));
}
