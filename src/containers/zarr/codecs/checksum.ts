import { adler32, crc32, crc32c } from "../../../kernels/checksums/checksums.js";
import { fletcher32 } from "../../../kernels/checksums/fletcher32.js";
import { InvalidDataError } from "../../../model/errors.js";
import { unexpected } from "../metadata/json-fields.js";
import type { CodecModule } from "./codec.js";

const SIZE = 4;

/** A checksum of four bytes (u32, little-endian) beside the data, verified. `location` is numcodecs' option. */
function checksum(name: string, compute: (bytes: Uint8Array) => number, usual: "start" | "end"): CodecModule {
  return {
    kind: "bytes",
    make(configuration) {
      const location = configuration.location ?? usual;
      if (location !== "start" && location !== "end") throw unexpected(location, "location", '"start" or "end"');
      return {
        encodedSize: (decoded) => decoded + SIZE,
        decode(bytes) {
          if (bytes.length < SIZE) throw new InvalidDataError(`${bytes.length} bytes hold no ${name}`);
          const end = bytes.length - SIZE;
          const data = location === "start" ? bytes.subarray(SIZE) : bytes.subarray(0, end);
          const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
          const stored = view.getUint32(location === "start" ? 0 : end, true);
          const found = compute(data);
          if (found !== stored) {
            throw new InvalidDataError(`${name} is ${found.toString(16)}, ${stored.toString(16)} is stored`);
          }
          return data;
        },
      };
    },
  };
}

/** numcodecs writes CRC-32 and Adler-32 in front of the data, CRC-32C and HDF5's Fletcher-32 behind it. */
export const crc32Codec = checksum("CRC-32", crc32, "start");
export const adler32Codec = checksum("Adler-32", adler32, "start");
export const crc32cCodec = checksum("CRC-32C", crc32c, "end");
export const fletcher32Codec = checksum("Fletcher-32", fletcher32, "end");
