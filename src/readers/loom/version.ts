/** `LOOM_SPEC_VERSION`: a global since 3.0.0, an attribute of the root before, absent from many files. */

import type { AttributeValue, Group, StoredArray } from "../../containers/tree/container.js";
import { product } from "../../model/stored.js";
import { openChild, orNull, type ReaderContext } from "../context.js";

export interface LoomVersion {
  /** Without the `v` that the draft of 3.0.0 asked for; `""` where the file does not say. */
  readonly text: string;
  /** What stands there and is no version. */
  readonly odd: string | null;
  readonly major: number | null;
}

const VERSION = /^v?((\d+)(?:\.\d+){0,2})$/;

/** A version is one text; more are looked at no further. */
const MAX_ELEMENTS = 64;

/** The dataset goes before the attribute. */
export async function specVersion(root: Group, keys: readonly string[], cx: ReaderContext): Promise<LoomVersion> {
  const stored = (await globalVersion(root, keys, cx)) ?? single(root.attributes.get("LOOM_SPEC_VERSION"));
  if (stored === undefined) return { text: "", odd: null, major: null };
  const match = VERSION.exec(stored);
  return match === null
    ? { text: "", odd: stored, major: null }
    : { text: match[1], odd: null, major: Number(match[2]) };
}

/** What `/attrs/LOOM_SPEC_VERSION` says; null where there is none, `""` where it is no text. */
async function globalVersion(root: Group, keys: readonly string[], cx: ReaderContext): Promise<string | null> {
  if (!keys.includes("attrs")) return null;
  const attrs = await orNull(openChild(root, "attrs", cx));
  if (attrs?.kind !== "group") return null;
  const node = await orNull(openChild(attrs, "LOOM_SPEC_VERSION", cx));
  if (node?.kind !== "array") return null;
  return (await orNull(firstText(node, cx))) ?? "";
}

async function firstText(array: StoredArray, cx: ReaderContext): Promise<string | null> {
  const { shape, type } = array;
  if (shape === null || type.kind !== "text" || product(shape) === 0 || product(shape) > MAX_ELEMENTS) return null;
  const values = await array.read(0, 1, cx.options);
  return values.kind === "variable" && values.offsets.length > 1
    ? new TextDecoder().decode(values.bytes.subarray(values.offsets[0], values.offsets[1]))
    : null;
}

function single(value: AttributeValue | undefined): string | undefined {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "string" ? one : undefined;
}
