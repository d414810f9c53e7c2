/** The platform of web pages, and of runtimes with the same features. */

import type { Platform, Threads } from "./platform.js";

const webWorkers: Threads = {
  get count() {
    return navigator.hardwareConcurrency || 1;
  },
  start({ reply, failure }) {
    // Bundlers recognize the file in this form and include it. It is built next to this file.
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => reply(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      failure(event.message || "it could not be loaded");
    });
    worker.addEventListener("messageerror", () => failure("it sent what cannot be received"));
    return {
      post: (request, transfer) => worker.postMessage(request, transfer),
      idle: () => undefined,
      busy: () => undefined,
      stop: () => worker.terminate(),
    };
  },
  unavailable(reason) {
    // esbuild and Rollup omit the file silently. Without this warning, the page would just be slow.
    console.warn(
      `annarrow: no worker could be started (${reason}), so the page itself reads and decodes, with one thread. ` +
        "Give the bundler annarrow/worker as a further entry, named worker.js, beside the page's script: " +
        "docs/bundlers.md of the package says how.",
    );
  },
};

export const platform: Platform = {
  deflate: null,
  deflatePart: null,
  async gzip(bytes) {
    const gzip = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream("gzip"));
    return new Uint8Array(await new Response(gzip).arrayBuffer());
  },
  zstd: null,
  crc32: null,
  threads: typeof Worker === "undefined" ? null : webWorkers,
  h5wasmOnFiles: null,
};
