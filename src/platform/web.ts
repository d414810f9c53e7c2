/** The platform of web pages and of runtimes with the same features. */

import type { Platform, Threads } from "./platform.js";

const webWorkers: Threads = {
  get count() {
    return navigator.hardwareConcurrency || 1;
  },
  start({ reply, failure }) {
    // Bundlers detect the file in this form, and include it. It is built next to this file.
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
    // esbuild and Rollup omit the file silently, and the page would only be slow.
    console.warn(
      `annarrow: no worker could be started (${reason}), so the page itself reads and decodes, with one thread. ` +
        "Give the bundler annarrow/worker as a further entry, named worker.js, beside the page's script: " +
        "docs/bundlers.md of the package says how.",
    );
  },
};

export const platform: Platform = {
  inflate: null,
  deflate: null,
  deflatePart: null,
  async gzip(bytes) {
    const gzip = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream("gzip"));
    return new Uint8Array(await new Response(gzip).arrayBuffer());
  },
  gunzip,
  zstd: null,
  crc32: null,
  threads: typeof Worker === "undefined" ? null : webWorkers,
  h5wasmOnFiles: null,
};

/** Uses DecompressionStream, which accepts only one member in browsers. */
async function* gunzip(stored: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = stored[Symbol.asyncIterator]();
  const input = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (done === true) controller.close();
          // A copy, because the platform may detach the memory, which may belong to someone else.
          else controller.enqueue(new Uint8Array(value));
        } catch (error) {
          controller.error(error);
        }
      },
    },
    { highWaterMark: 0 },
  );
  const reader = input.pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
