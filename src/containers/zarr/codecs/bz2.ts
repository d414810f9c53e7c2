import { decodeBz2 } from "../../../kernels/codecs/bz2/bz2.js";
import { compressor } from "./codec.js";

export const bz2 = compressor(decodeBz2);
