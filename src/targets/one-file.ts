import type { ByteTarget, Target } from "./target.js";

/** A target for a single stream, onto `file`: the name that `write` is given does not matter. */
export function oneFile(file: ByteTarget): Target {
  return {
    ...(file.warnings === undefined ? {} : { warnings: file.warnings }),
    async write(_path, chunks) {
      let at = 0;
      for await (const chunk of chunks) {
        await file.write(at, chunk);
        at += chunk.length;
      }
    },
    commit: () => file.commit(),
    abort: () => file.abort(),
  };
}
