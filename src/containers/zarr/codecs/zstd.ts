import { decodeZstd } from "../../../kernels/codecs/zstd/zstd.js";
import { compressor } from "./codec.js";

export const zstd = compressor(decodeZstd);
