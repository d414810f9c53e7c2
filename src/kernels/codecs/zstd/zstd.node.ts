import * as zlib from "node:zlib";
import { InvalidDataError } from "../../../model/errors.js";
import { installZstd, type ZstdDecoder } from "./zstd.js";

/** Lets `decodeZstd` use node:zlib, whose zstd came with Node 22.15; nothing changes before. Called by the Node entry. */
export function installNodeZstd(): void {
  const decoder = nativeZstd();
  if (decoder !== null) installZstd(decoder);
}

/** What the types of Node 20 do not know. */
interface NodeZstd {
  readonly constants: { readonly [name: string]: unknown };
  readonly zstdDecompressSync?: (
    bytes: Uint8Array,
    options: { readonly maxOutputLength: number; readonly chunkSize: number },
  ) => Uint8Array;
}

/** node:zlib's smallest, and a limit for streams that give less than they may. */
const [LEAST, MOST] = [64, 1 << 24];

function nativeZstd(): ZstdDecoder | null {
  const { zstdDecompressSync }: NodeZstd = zlib;
  if (zstdDecompressSync === undefined) return null;
  return (bytes, most) => {
    try {
      // One output buffer of the right size saves joining small ones; one byte more shows the end.
      const chunkSize = Math.min(Math.max(most + 1, LEAST), MOST);
      const decoded = zstdDecompressSync(bytes, { maxOutputLength: Math.max(most, 1), chunkSize });
      // Not a Buffer, whose slice() is a view.
      return new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.length);
    } catch (cause) {
      throw new InvalidDataError(`corrupt zstd data: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  };
}
