/** Registry of all codecs by their Zarr names, and the codecs that depend on Zarr's own value types. */

import { CODECS, isBuiltInCodec } from "../../../kernels/codecs/codecs.js";
import type { Json } from "../metadata/json.js";
import { isObject } from "../metadata/json-fields.js";
import type { CodecSpec } from "../metadata/metadata.js";
import type { CodecModule } from "./codec.js";

type Load = () => Promise<CodecModule>;

const numberFilters = () => import("./number-filters.js");
const objectCodecs = () => import("./object-codecs.js");

const delta: Load = async () => (await numberFilters()).delta;
const fixedScaleOffset: Load = async () => (await numberFilters()).fixedScaleOffset;
const packBits: Load = async () => (await numberFilters()).packBits;
const asType: Load = async () => (await numberFilters()).asType;
const quantize: Load = async () => (await numberFilters()).quantize;
const vlen: Load = async () => (await objectCodecs()).vlen;

const NUMBER_FILTERS: readonly (readonly [string, Load])[] = [
  ["delta", delta],
  ["fixedscaleoffset", fixedScaleOffset],
  ["packbits", packBits],
  ["astype", asType],
  ["quantize", quantize],
];

/**
 * Codecs for values: v2's filters for numbers, also under their v3 names, and codecs for items without a fixed size.
 */
const VALUE_CODECS: ReadonlyMap<string, Load> = new Map([
  ...NUMBER_FILTERS,
  ...NUMBER_FILTERS.map(([name, load]) => [`numcodecs.${name}`, load] as const),
  ["vlen-utf8", vlen],
  ["vlen-bytes", vlen],
  ["json2", async () => (await objectCodecs()).json2],
  ["categorize", async () => (await objectCodecs()).categorize],
]);

/**
 * Loads the codec with this name: the numcodecs id used in v2, a v3 name, or the v3 name of a numcodecs codec. Returns
 * null for an unknown name.
 */
export async function loadCodec(name: string): Promise<CodecModule | null> {
  const load = VALUE_CODECS.get(name);
  if (load !== undefined) return load();
  const make = await CODECS.get(name)?.();
  if (make === undefined) return null;
  return { kind: "bytes", make: (options, itemBytes) => make({ values: [], options, itemBytes }) };
}

/** Pipeline steps that the pipeline itself implements. */
const OWN = new Set(["bytes", "transpose", "sharding_indexed"]);

/** Returns whether this module can decode the codec `name`. */
export function isKnownCodec(name: string): boolean {
  return OWN.has(name) || VALUE_CODECS.has(name) || CODECS.has(name);
}

function isInWorkers(name: string): boolean {
  return OWN.has(name) || VALUE_CODECS.has(name) || isBuiltInCodec(name);
}

/**
 * Returns whether workers can decode all of these codecs, including codecs inside shards, because none of them was
 * registered by the program.
 */
export function areCodecsInWorkers(codecs: readonly CodecSpec[]): boolean {
  return codecs.every(
    ({ name, configuration }) =>
      isInWorkers(name) && areListedInWorkers(configuration.codecs) && areListedInWorkers(configuration.index_codecs),
  );
}

/**
 * Returns whether workers have all codecs in a list. Also returns true for a value that is not a list of codecs, since
 * reading it fails in this thread and in a worker alike.
 */
function areListedInWorkers(list: Json | undefined): boolean {
  if (!Array.isArray(list)) return true;
  return list.every((codec: Json) => {
    if (typeof codec === "string") return isInWorkers(codec);
    if (!isObject(codec) || typeof codec.name !== "string") return true;
    return areCodecsInWorkers([
      { name: codec.name, configuration: isObject(codec.configuration) ? codec.configuration : {} },
    ]);
  });
}
