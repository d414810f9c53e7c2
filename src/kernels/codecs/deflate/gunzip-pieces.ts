/** A gzip file that arrives piece by piece. */

import { platform } from "#platform";
import { InvalidDataError } from "../../../model/errors.js";

export interface GunzippedPieces {
  /**
   * Returns some of the next bytes; null behind the last, once the checksum is verified.
   * @throws {InvalidDataError} where the file is corrupt. Errors of the source of the pieces are passed on.
   */
  pull(): Promise<Uint8Array | null>;
  cancel(): Promise<void>;
}

/** @param next returns the next piece of the file, null behind the last. */
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
  const pieces = platform.gunzip(stored());
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
    // The stream may fail again, with the error for which it is cancelled.
    cancel: async () => {
      await pieces.return?.().catch(() => undefined);
    },
  };
}

function corrupt(cause: unknown): InvalidDataError {
  return new InvalidDataError(`corrupt gzip stream: ${cause instanceof Error ? cause.message : cause}`, { cause });
}
