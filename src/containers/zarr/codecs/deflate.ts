import { inflate } from "../../../kernels/codecs/deflate/inflate.js";
import { compressor } from "./codec.js";

export const gzip = compressor((bytes, size) => inflate(bytes, "gzip", size));

export const zlib = compressor((bytes, size) => inflate(bytes, "zlib", size));
