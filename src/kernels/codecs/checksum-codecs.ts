/** Checksums of four bytes (u32, little-endian) beside the data, verified. */

import { InvalidDataError } from "../../model/errors.js";
import { fletcher32 } from "../checksums/fletcher32.js";
import { type MakeCodec, unexpectedOption } from "./bounds/codec.js";

const SIZE = 4;

/**
 * A checksum as numcodecs stores it.
 * @param usual where it stands unless numcodecs' option `location` says otherwise.
 */
export function checksum(name: string, compute: (bytes: Uint8Array) => number, usual: "start" | "end"): MakeCodec {
  return ({ options }) => {
    const location = options.location ?? usual;
    if (location !== "start" && location !== "end") throw unexpectedOption(location, "location", '"start" or "end"');
    return {
      encodedSize: (decoded) => decoded + SIZE,
      decode(bytes) {
        if (bytes.length < SIZE) throw new InvalidDataError(`${bytes.length} bytes hold no ${name}`);
        const end = bytes.length - SIZE;
        const data = location === "start" ? bytes.subarray(SIZE) : bytes.subarray(0, end);
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
  encodedSize: (decoded) => decoded + SIZE,
  decode(bytes) {
    if (bytes.length < SIZE) {
      throw new InvalidDataError(`chunk of ${bytes.length} bytes has no room for its checksum`);
    }
    const data = bytes.subarray(0, bytes.length - SIZE);
    const stored = wordAt(bytes, data.length);
    const sum = fletcher32(data);
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
