/** A stream of this process, such as stdout, as the place of one output. */

import type { Writable } from "node:stream";
import { diskError, hasCode } from "../model/system-error.node.js";
import type { Target } from "./target.js";

/** What is written goes to `stream` at once, as fast as it takes it; nothing can be taken back. */
export function streamTarget(stream: Writable): Target {
  return {
    async write(_path, chunks) {
      for await (const chunk of chunks) {
        await new Promise<void>((resolve, reject) => {
          stream.write(chunk, (error) => (error ? reject(writeError(error)) : resolve()));
        });
      }
    },
    async commit() {},
    async abort() {},
  };
}

/** A reader that has gone is the caller's to judge. */
function writeError(error: Error): Error {
  return hasCode(error, "EPIPE", "ERR_STREAM_DESTROYED") ? error : diskError("the standard output", error);
}
