/**
 * A gzip file that comes piece by piece: by the platform's DecompressionStream, which takes one member alone in browsers,
 * until an entry installs something else.
 */

import { InvalidDataError } from "../../../model/errors.js";

export interface GunzippedPieces {
  /**
   * The next bytes, some of them; null behind the last, once the checksum is verified.
   * @throws {InvalidDataError} where the file is corrupt; what the source of the pieces throws, as it is.
   */
  pull(): Promise<Uint8Array | null>;
  cancel(): Promise<void>;
}

/** What the pieces of a gzip file decompress to. */
export type Gunzip = (stored: AsyncIterable<Uint8Array>) => AsyncIterator<Uint8Array, unknown>;

let gunzip: Gunzip = byDecompressionStream;

export function installGunzip(other: Gunzip): void {
  gunzip = other;
}

/** @param next gives the pieces of the file, null behind the last. */
export function gunzipPieces(next: () => Promise<Uint8Array | null>): GunzippedPieces {
  let failure: unknown;
  async function* stored(): AsyncGenerator<Uint8Array> {
    try {
      for (let bytes = await next(); bytes !== null; bytes = await next()) yield bytes;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  const pieces = gunzip(stored());
  return {
    async pull() {
      for (;;) {
        const { done, value } = await pieces.next().catch((cause: unknown) => {
          throw failure ?? corrupt(cause);
        });
        if (done) return null;
        if (value.length > 0) return value;
      }
    },
    // The stream may have failed for the very reason that it is cancelled for.
    cancel: async () => {
      await pieces.return?.().catch(() => undefined);
    },
  };
}

async function* byDecompressionStream(stored: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = stored[Symbol.asyncIterator]();
  const input = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (done === true) controller.close();
          // The platform may take the memory away from us, and it may be another's.
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

function corrupt(cause: unknown): InvalidDataError {
  return new InvalidDataError(`corrupt gzip stream: ${cause instanceof Error ? cause.message : cause}`, { cause });
}
