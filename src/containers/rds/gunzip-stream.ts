import { InvalidDataError } from "../../errors.js";
import type { ByteSource, ReadOptions } from "../../sources/source.js";
import type { ByteStream } from "./byte-stream.js";
import { sourceStream } from "./source-stream.js";

/** Deflate gives no more bytes than this for one of its own. */
const MOST_PER_BYTE = 1032;

/**
 * What a gzip file decompresses to, piece by piece. The checksum is verified at the end.
 * @throws {InvalidDataError} from `pull`, where the file is corrupt.
 */
export function gunzipStream(source: ByteSource, options: ReadOptions): ByteStream {
  const stored = sourceStream(source, options);
  let failure: unknown;
  const input = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const bytes = await stored.pull();
          if (bytes === null) controller.close();
          // The platform may take the memory away from us, and it may be another's.
          else controller.enqueue(new Uint8Array(bytes));
        } catch (error) {
          failure = error;
          controller.error(error);
        }
      },
    },
    { highWaterMark: 0 },
  );
  const reader = input.pipeThrough(new DecompressionStream("gzip")).getReader();
  let given = 0;
  return {
    async pull() {
      for (;;) {
        const { done, value } = await reader.read().catch((cause: unknown) => {
          throw failure ?? corrupt(cause);
        });
        if (done) return null;
        given += value.length;
        if (value.length > 0) return value;
      }
    },
    room: () => Math.max(0, source.size * MOST_PER_BYTE - given),
    // The stream may have failed for the very reason that it is cancelled for.
    cancel: () => reader.cancel().catch(() => undefined),
  };
}

function corrupt(cause: unknown): InvalidDataError {
  return new InvalidDataError(`corrupt gzip stream: ${cause instanceof Error ? cause.message : cause}`, { cause });
}
