/** Codecs by their names in Zarr: the table of all codecs, and what needs Zarr's own types of values. */

import { CODECS } from "../../../kernels/codecs/codecs.js";
import type { CodecModule } from "./codec.js";

type Load = () => Promise<CodecModule>;

const delta: Load = async () => (await import("./delta.js")).delta;
const fixedScaleOffset: Load = async () => (await import("./fixed-scale-offset.js")).fixedScaleOffset;
const packBits: Load = async () => (await import("./packbits.js")).packBits;
const asType: Load = async () => (await import("./astype.js")).asType;
const quantize: Load = async () => (await import("./astype.js")).quantize;

/** Filters over values, and codecs of objects without a fixed size. */
const OF_VALUES: ReadonlyMap<string, Load> = new Map([
  ["delta", delta],
  ["fixedscaleoffset", fixedScaleOffset],
  ["packbits", packBits],
  ["astype", asType],
  ["quantize", quantize],
  ["numcodecs.delta", delta],
  ["numcodecs.fixedscaleoffset", fixedScaleOffset],
  ["numcodecs.packbits", packBits],
  ["numcodecs.astype", asType],
  ["numcodecs.quantize", quantize],
  ["vlen-utf8", async () => (await import("./vlen.js")).vlen],
  ["vlen-bytes", async () => (await import("./vlen.js")).vlen],
  ["json2", async () => (await import("./json2.js")).json2],
  ["categorize", async () => (await import("./categorize.js")).categorize],
]);

/** Whether `loadCodec` has a codec of that name. */
export function hasCodec(name: string): boolean {
  return OF_VALUES.has(name) || CODECS.has(name);
}

/** The codec of that name: numcodecs' id of v2, a name of v3, or v3's name for one of numcodecs; null where none is known. */
export async function loadCodec(name: string): Promise<CodecModule | null> {
  const load = OF_VALUES.get(name);
  if (load !== undefined) return load();
  const make = CODECS.get(name);
  if (make === undefined) return null;
  return { kind: "bytes", make: (options, itemBytes) => make({ values: [], options, itemBytes }) };
}
