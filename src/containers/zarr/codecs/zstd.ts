import { decodeZstd } from "../../../kernels/zstd.js";
import { compressor } from "./codec.js";

export const zstd = compressor(decodeZstd);
