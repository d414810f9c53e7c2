import type { ByteSource, ReadOptions } from "../../../sources/source.js";
import type { ByteStream } from "./byte-stream.js";

const BLOCK = 2 ** 18;

/** The bytes of a file as they are. */
export function sourceStream(source: ByteSource, options: ReadOptions): ByteStream {
  let at = 0;
  return {
    async pull() {
      if (at === source.size) return null;
      const start = at;
      at = Math.min(at + BLOCK, source.size);
      return source.read(start, at, options);
    },
    async fill(target) {
      const start = at;
      at += target.length;
      if (source.readInto !== undefined) return source.readInto(start, target, options);
      // Not all at once, so that not the whole vector lies in memory twice.
      for (let done = 0; done < target.length; done += BLOCK) {
        const end = Math.min(done + BLOCK, target.length);
        target.set(await source.read(start + done, start + end, options), done);
      }
    },
    room: () => source.size - at,
    cancel: async () => undefined,
  };
}
