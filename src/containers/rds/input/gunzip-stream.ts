import { gunzipPieces } from "../../../kernels/codecs/deflate/gunzip-pieces.js";
import type { ByteSource, ReadOptions } from "../../../sources/source.js";
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
  const { pull, cancel } = gunzipPieces(() => stored.pull());
  let given = 0;
  return {
    async pull() {
      const bytes = await pull();
      given += bytes?.length ?? 0;
      return bytes;
    },
    room: () => Math.max(0, source.size * MOST_PER_BYTE - given),
    cancel,
  };
}
