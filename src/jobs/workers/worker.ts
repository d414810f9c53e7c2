/**
 * Entry of a Web Worker. A page, or its bundler, starts it by its address, so it is a file of its own (see
 * `new URL("./worker.js", import.meta.url)` in platform/web.ts). A page has no paths of files that a worker could open,
 * so the server gets no function that opens them.
 */

import { server } from "./serve.js";

const handle = server((reply, transfer) => postMessage(reply, { transfer }), null);
addEventListener("message", ({ data }) => handle(data));
