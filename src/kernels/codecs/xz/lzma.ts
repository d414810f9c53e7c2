/** Zarr's `lzma`: the output of Python's module `lzma`. */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { isJsonObject } from "../../../model/json-object.js";
import { BoundedOutput } from "../bounds/bounded-output.js";
import { checkIntegerOption, type MakeCodec } from "../bounds/byte-codec.js";

/** Python's `lzma.FORMAT_*`: xz, the older .lzma, and filters without a container. */
const XZ = 1;
const ALONE = 2;
const RAW = 3;
const LZMA2_FILTER = 0x21;

export const lzma: MakeCodec = ({ options }) => {
  const format = options.format === undefined ? XZ : checkIntegerOption(options.format, "format of lzma", 0);
  if (format === RAW && !isLzma2Alone(options.filters)) {
    throw new UnsupportedError(`lzma filters ${JSON.stringify(options.filters)}: only LZMA2 alone can be read`);
  }
  return {
    encodedSize: () => null,
    async decode(bytes, size) {
      const out = new BoundedOutput(size);
      if (format === RAW) (await import("./lzma2.js")).decodeLzma2(bytes, 0, out);
      else if (format === ALONE || (format !== XZ && bytes[0] === 0x5d)) await decodeAlone(bytes, out);
      else (await import("./xz.js")).decodeXz(bytes, out);
      return out.finish();
    },
  };
};

function isLzma2Alone(filters: unknown): boolean {
  return Array.isArray(filters) && filters.length === 1 && isJsonObject(filters[0]) && filters[0].id === LZMA2_FILTER;
}

/**
 * Decodes an .lzma stream: properties, size of the dictionary (u32), decoded size (u64; all ones if an end mark follows
 * the data), data.
 */
async function decodeAlone(bytes: Uint8Array, out: BoundedOutput): Promise<void> {
  const { LzmaDecoder, parseLzmaProperties } = await import("./lzma-decoder.js");
  if (bytes.length < 13) throw new InvalidDataError(`${bytes.length} bytes are no .lzma stream`);
  const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(5, true);
  const decoder = new LzmaDecoder(out, parseLzmaProperties(bytes[0]));
  decoder.decode(bytes.subarray(13), size === 2n ** 64n - 1n ? null : Number(size), 0);
}
