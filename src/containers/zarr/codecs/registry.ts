/** Registry of all codecs by their names in Zarr, and the codecs that depend on Zarr's own value types. */

import { CODECS } from "../../../kernels/codecs/codecs.js";
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

/** Codecs of values: v2's filters over numbers, their names in v3, and codecs of items without a fixed size. */
const VALUE_CODECS: ReadonlyMap<string, Load> = new Map([
  ...NUMBER_FILTERS,
  ...NUMBER_FILTERS.map(([name, load]) => [`numcodecs.${name}`, load] as const),
  ["vlen-utf8", vlen],
  ["vlen-bytes", vlen],
  ["json2", async () => (await objectCodecs()).json2],
  ["categorize", async () => (await objectCodecs()).categorize],
]);

function hasCodec(name: string): boolean {
  return VALUE_CODECS.has(name) || CODECS.has(name);
}

/**
 * Loads the codec of this name: numcodecs' id of v2, a name of v3, or v3's name for a numcodecs codec. Returns null for
 * an unknown name.
 */
export async function loadCodec(name: string): Promise<CodecModule | null> {
  const load = VALUE_CODECS.get(name);
  if (load !== undefined) return load();
  const make = CODECS.get(name);
  if (make === undefined) return null;
  return { kind: "bytes", make: (options, itemBytes) => make({ values: [], options, itemBytes }) };
}

/** Pipeline steps that the pipeline implements itself. */
const OWN = new Set(["bytes", "transpose", "sharding_indexed"]);

/** Returns whether this module can decode the codec `name`. */
export function isKnownCodec(name: string): boolean {
  return OWN.has(name) || hasCodec(name);
}

/** Returns whether this module can decode all of these codecs, including the codecs inside shards. */
export function areKnownCodecs(codecs: readonly CodecSpec[]): boolean {
  return codecs.every(
    ({ name, configuration }) =>
      isKnownCodec(name) && areKnownDocuments(configuration.codecs) && areKnownDocuments(configuration.index_codecs),
  );
}

/**
 * Tells whether a list has known codecs only. A value that is not a list of codecs counts as known: it is an error when
 * it is read, in this thread or in a worker.
 */
function areKnownDocuments(list: Json | undefined): boolean {
  if (!Array.isArray(list)) return true;
  return list.every((codec: Json) => {
    if (typeof codec === "string") return isKnownCodec(codec);
    if (!isObject(codec) || typeof codec.name !== "string") return true;
    return areKnownCodecs([
      { name: codec.name, configuration: isObject(codec.configuration) ? codec.configuration : {} },
    ]);
  });
}
