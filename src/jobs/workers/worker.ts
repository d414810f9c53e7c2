/**
 * Entry of a Web Worker. It is a file of its own because a page, or its bundler, starts it by address
 * (`new URL("./worker.js", import.meta.url)` in platform/web.ts). A page
 * has no paths of files that a worker could open, so there is no function for these.
 */

import { server } from "./serve.js";

const handle = server((reply, transfer) => postMessage(reply, { transfer }), null);
addEventListener("message", ({ data }) => handle(data));
