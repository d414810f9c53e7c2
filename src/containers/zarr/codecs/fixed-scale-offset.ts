import { unexpected } from "../metadata/json-fields.js";
import type { CodecModule } from "./codec.js";
import { numberFormat, readNumbers, setter, writeNumbers } from "./number-format.js";

/** `fixedscaleoffset`: value = stored / scale + offset, in the precision that numpy computes it in. */
export const fixedScaleOffset: CodecModule = {
  kind: "bytes",
  make(configuration) {
    const decoded = numberFormat(configuration.dtype, "dtype");
    const encoded = numberFormat(configuration.astype ?? configuration.dtype, "astype");
    const { scale, offset } = configuration;
    if (typeof scale !== "number") throw unexpected(scale, "scale", "a number");
    if (typeof offset !== "number") throw unexpected(offset, "offset", "a number");
    return {
      encodedSize: (size) => (size / decoded.size) * encoded.size,
      encodedWord: encoded.size,
      decode(bytes) {
        const values = readNumbers(bytes, encoded);
        const out = decoded.allocate(values.length);
        const put = setter(out);
        const round = values instanceof Float32Array ? Math.fround : (value: number) => value;
        for (let i = 0; i < values.length; i++) put(i, round(round(Number(values[i]) / scale) + offset));
        return writeNumbers(out, decoded);
      },
    };
  },
};
