/** JSON form of Arrow's flat types and of file identities, for plans, reports and manifests. */

import type { ArrowField } from "annarrow/core/arrow";
import * as v from "valibot";

const BITS = v.picklist([8, 16, 32, 64]);

const INT = v.object({ id: v.literal("Int"), bits: BITS, signed: v.boolean() });

const PLAIN = v.variant("id", [
  v.object({ id: v.picklist(["Null", "Bool", "Utf8", "Binary", "Date32"]) }),
  INT,
  v.object({ id: v.literal("Float"), bits: v.picklist([16, 32, 64]) }),
  v.object({ id: v.literal("FixedSizeBinary"), width: v.number() }),
  v.object({
    id: v.picklist(["Timestamp", "Duration"]),
    unit: v.picklist(["s", "ms", "us", "ns"]),
    timezone: v.optional(v.string()),
  }),
]);

const DICTIONARY = v.object({
  id: v.literal("Dictionary"),
  index: v.object({ id: v.literal("Int"), bits: v.picklist([8, 16, 32]), signed: v.boolean() }),
  value: PLAIN,
  ordered: v.boolean(),
});

/** A column of numbers, text, times or categories. */
export const FLAT_FIELD = v.object({
  name: v.string(),
  type: v.variant("id", [PLAIN, DICTIONARY]),
  nullable: v.boolean(),
  metadata: v.optional(v.record(v.string(), v.unknown())),
});

export type FlatField = v.InferOutput<typeof FLAT_FIELD>;

export const NUMERIC_TYPE = v.variant("id", [
  v.object({ id: v.literal("Bool") }),
  INT,
  v.object({ id: v.literal("Float"), bits: v.picklist([16, 32, 64]) }),
]);

/** Returns the JSON form of a field; null for a nested field. */
export function toFlatField(field: ArrowField): FlatField | null {
  return v.is(FLAT_FIELD, field) ? field : null;
}

export const COUNT = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** JSON form of `SourceIdentity` (companion/identity.ts). */
export const IDENTITY = v.variant("kind", [
  v.object({
    kind: v.literal("file"),
    size: v.number(),
    modified: v.nullable(v.number()),
    etag: v.nullable(v.string()),
    head: v.number(),
    tail: v.number(),
  }),
  v.object({ kind: v.literal("folder"), files: v.number(), size: v.number(), checksum: v.number() }),
]);
