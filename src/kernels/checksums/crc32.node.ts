import * as zlib from "node:zlib";
import { crc32 } from "./checksums.js";

/** CRC-32 by zlib, six times as fast; Node has it from 20.15 and 22.2 on. */
export const nodeCrc32: (bytes: Uint8Array) => number = "crc32" in zlib ? (bytes) => zlib.crc32(bytes) : crc32;
