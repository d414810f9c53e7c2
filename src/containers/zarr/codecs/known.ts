import type { Json } from "../metadata/json.js";
import { isObject } from "../metadata/json-fields.js";
import type { CodecSpec } from "../metadata/metadata.js";
import { hasCodec } from "./registry.js";

/** The steps of a pipeline that are no codec of a file of their own. */
const OWN = new Set(["bytes", "transpose", "sharding_indexed"]);

/** Whether this folder decodes a codec of that name. */
export function isKnownCodec(name: string): boolean {
  return OWN.has(name) || hasCodec(name);
}

/** Whether this folder decodes all of these codecs, and those inside of shards. */
export function areKnownCodecs(codecs: readonly CodecSpec[]): boolean {
  return codecs.every(
    ({ name, configuration }) =>
      isKnownCodec(name) && areKnownDocuments(configuration.codecs) && areKnownDocuments(configuration.index_codecs),
  );
}

/** What is no list of codecs is an error when it is read, here or there. */
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
