/**
 * Entry of a Web Worker. A page, or its bundler, starts the worker by its URL, so it is a separate file (see `new
 * URL("./worker.js", import.meta.url)` in platform/web.ts). A page has no file paths that a worker could open, so the
 * server gets no function for opening files.
 */

import { createRequestHandler } from "./serve.js";

const handle = createRequestHandler((reply, transfer) => postMessage(reply, { transfer }), null);
addEventListener("message", ({ data }) => handle(data));
