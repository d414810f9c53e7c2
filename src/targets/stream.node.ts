/** A stream of this process, such as stdout, as the place of one output. */

import type { Writable } from "node:stream";
import type { Target } from "./target.js";

/** What is written goes to `stream` at once, as fast as it takes it; nothing can be taken back. */
export function streamTarget(stream: Writable): Target {
  return {
    async write(_path, chunks) {
      for await (const chunk of chunks) {
        await new Promise<void>((resolve, reject) => {
          stream.write(chunk, (error) => (error ? reject(error) : resolve()));
        });
      }
    },
    async commit() {},
    async abort() {},
  };
}
