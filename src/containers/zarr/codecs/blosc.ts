import { decodeBlosc } from "../../../kernels/codecs/blosc/blosc.js";
import { compressor } from "./codec.js";

export const blosc = compressor(decodeBlosc);
