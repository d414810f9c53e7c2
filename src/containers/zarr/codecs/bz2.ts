import { decodeBz2 } from "../../../kernels/bz2.js";
import { compressor } from "./codec.js";

export const bz2 = compressor(decodeBz2);
