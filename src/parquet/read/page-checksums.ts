import { computeCrc32 } from "../../kernels/checksums/checksums.js";
import { InvalidDataError } from "../../model/errors.js";
import { ThriftStruct } from "../thrift.js";
import { MISSING_BYTES } from "./old-writers.js";

/** Field ids of a `PageHeader`. */
const STORED_SIZE = 3;
const CRC = 4;

/**
 * Checks the CRC-32 of every page of a column chunk that has one, because the engine does not check it. In both page
 * versions, the CRC-32 covers the stored page after its header.
 * @param chunk consecutive pages of `column`, and the padding that old writers write after them.
 * @returns the chunk without trailing bytes that are not a header, because the engine would try to read them as one.
 * @throws {InvalidDataError} if a page's CRC-32 differs from its header's, and if a header cannot be read. For example,
 * a list in a header can declare 2^31 empty values, which the engine counts one by one.
 */
export function checkPages(chunk: Uint8Array, column: string): Uint8Array {
  for (let at = 0, page = 0; at < chunk.length; page++) {
    const header = headerAt(chunk, at);
    if (header === null && chunk.length - at > MISSING_BYTES) {
      throw new InvalidDataError(`page ${page} of column ${column}: its header cannot be read`);
    }
    if (header === null) return chunk.subarray(0, at);
    const size = header.integer(STORED_SIZE) ?? -1;
    if (size < 0 || header.end + size > chunk.length) return chunk;
    const stored = header.integer(CRC);
    if (stored !== null) {
      const found = computeCrc32(chunk.subarray(header.end, header.end + size));
      if (found !== stored >>> 0) {
        const text = (crc: number) => (crc >>> 0).toString(16);
        throw new InvalidDataError(
          `page ${page} of column ${column}: CRC-32 is ${text(found)}, its header says ${text(stored)}`,
        );
      }
    }
    at = header.end + size;
  }
  return chunk;
}

function headerAt(chunk: Uint8Array, at: number): ThriftStruct | null {
  try {
    return new ThriftStruct(chunk, at);
  } catch {
    return null;
  }
}
