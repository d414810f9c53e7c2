/** Checksums that are stored with the data: numcodecs' and HDF5's. */

import { InvalidDataError } from "../../model/errors.js";
import { computeFletcher32 } from "../checksums/checksums.js";
import { createOptionError, type MakeCodec } from "./bounds/byte-codec.js";

/** Bytes of a checksum stored with the data: u32, little-endian. */
const CHECKSUM_BYTES = 4;

/**
 * Creates the codec for a checksum that is stored as in numcodecs.
 * @param usual default position of the checksum, unless numcodecs' option `location` specifies another position.
 */
export function createChecksumCodec(
  name: string,
  compute: (bytes: Uint8Array) => number,
  usual: "start" | "end",
): MakeCodec {
  return ({ options }) => {
    const location = options.location ?? usual;
    if (location !== "start" && location !== "end") throw createOptionError(location, "location", '"start" or "end"');
    return {
      encodedSize: (decoded) => decoded + CHECKSUM_BYTES,
      decode(bytes) {
        if (bytes.length < CHECKSUM_BYTES) throw new InvalidDataError(`${bytes.length} bytes hold no ${name}`);
        const end = bytes.length - CHECKSUM_BYTES;
        const data = location === "start" ? bytes.subarray(CHECKSUM_BYTES) : bytes.subarray(0, end);
        const stored = wordAt(bytes, location === "start" ? 0 : end);
        const found = compute(data);
        if (found !== stored) {
          throw new InvalidDataError(`${name} is ${found.toString(16)}, ${stored.toString(16)} is stored`);
        }
        return data;
      },
    };
  };
}

/** HDF5's filter 3. */
export const fletcher32Filter: MakeCodec = () => ({
  encodedSize: (decoded) => decoded + CHECKSUM_BYTES,
  decode(bytes) {
    if (bytes.length < CHECKSUM_BYTES) {
      throw new InvalidDataError(`chunk of ${bytes.length} bytes has no room for its checksum`);
    }
    const data = bytes.subarray(0, bytes.length - CHECKSUM_BYTES);
    const stored = wordAt(bytes, data.length);
    const sum = computeFletcher32(data);
    // HDF5 before 1.6.3 stored both halves with their bytes swapped.
    const swapped = (((sum & 0xff00ff) << 8) | ((sum >>> 8) & 0xff00ff)) >>> 0;
    if (stored !== sum && stored !== swapped) {
      throw new InvalidDataError(`chunk has fletcher32 checksum ${stored}, its bytes have ${sum}`);
    }
    return data;
  },
});

function wordAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
}
