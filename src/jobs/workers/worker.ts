/** Entry of a Web Worker. */

import { server } from "./serve.js";

const handle = server((reply, transfer) => postMessage(reply, { transfer }), null);
addEventListener("message", ({ data }) => handle(data));
