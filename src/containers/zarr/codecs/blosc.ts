import { decodeBlosc } from "../../../kernels/blosc.js";
import { compressor } from "./codec.js";

export const blosc = compressor(decodeBlosc);
