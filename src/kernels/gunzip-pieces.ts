/** A gzip file that comes piece by piece, by the platform's DecompressionStream. */

import { InvalidDataError } from "../errors.js";

export interface GunzippedPieces {
  /**
   * The next bytes, some of them; null behind the last, once the checksum is verified.
   * @throws {InvalidDataError} where the file is corrupt; what the source of the pieces throws, as it is.
   */
  pull(): Promise<Uint8Array | null>;
  cancel(): Promise<void>;
}

/** @param next gives the pieces of the file, null behind the last; they are copied. */
export function gunzipPieces(next: () => Promise<Uint8Array | null>): GunzippedPieces {
  let failure: unknown;
  const input = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const bytes = await next();
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
  return {
    async pull() {
      for (;;) {
        const { done, value } = await reader.read().catch((cause: unknown) => {
          throw failure ?? corrupt(cause);
        });
        if (done) return null;
        if (value.length > 0) return value;
      }
    },
    // The stream may have failed for the very reason that it is cancelled for.
    cancel: () => reader.cancel().catch(() => undefined),
  };
}

function corrupt(cause: unknown): InvalidDataError {
  return new InvalidDataError(`corrupt gzip stream: ${cause instanceof Error ? cause.message : cause}`, { cause });
}
