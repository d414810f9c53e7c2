import { BoundedOutput } from "../../../kernels/codecs/bounds/bounded-output.js";
import { LzmaDecoder, lzmaProperties } from "../../../kernels/codecs/xz/lzma-decoder.js";
import { decodeLzma2 } from "../../../kernels/codecs/xz/lzma2.js";
import { decodeXz } from "../../../kernels/codecs/xz/xz.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { integerOf, listOf, objectOf, show } from "../metadata/json-fields.js";
import type { CodecModule } from "./codec.js";

/** Python's `lzma.FORMAT_*`: xz, the older .lzma, and filters without a container. */
const XZ = 1;
const ALONE = 2;
const RAW = 3;
const LZMA2_FILTER = 0x21;

/** `lzma`: what Python's module of that name writes. */
export const lzma: CodecModule = {
  kind: "bytes",
  make(configuration) {
    const format = configuration.format === undefined ? XZ : integerOf(configuration.format, "format of lzma", 0);
    if (format === RAW) {
      const filters = listOf(configuration.filters, "filters of lzma").map((filter) => objectOf(filter, "a filter"));
      if (filters.length !== 1 || filters[0].id !== LZMA2_FILTER) {
        throw new UnsupportedError(`lzma filters ${show(configuration.filters)}: only LZMA2 alone can be read`);
      }
    }
    return {
      encodedSize: () => null,
      decode(bytes, size) {
        const out = new BoundedOutput(size);
        if (format === RAW) decodeLzma2(bytes, 0, out);
        else if (format === ALONE || (format !== XZ && bytes[0] === 0x5d)) decodeAlone(bytes, out);
        else decodeXz(bytes, out);
        return out.finish();
      },
    };
  },
};

/** Properties, size of the dictionary (u32), decoded size (u64, all ones where an end mark tells it), data. */
function decodeAlone(bytes: Uint8Array, out: BoundedOutput): void {
  if (bytes.length < 13) throw new InvalidDataError(`${bytes.length} bytes are no .lzma stream`);
  const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(5, true);
  const decoder = new LzmaDecoder(out, lzmaProperties(bytes[0]));
  decoder.decode(bytes.subarray(13), size === 2n ** 64n - 1n ? null : Number(size), 0);
}
