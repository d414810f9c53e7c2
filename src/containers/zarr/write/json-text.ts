/** JSON for metadata documents: 64-bit integers keep all digits, and floats remain floats. */

export type JsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | RawJson
  | readonly JsonValue[]
  | ReadonlyMap<string, JsonValue>
  | { readonly [key: string]: JsonValue };

/** Text that is already JSON. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Returns a value as JSON text. Numbers must be integers or come from `encodeFloatJson`. Maps become objects, in the
 * same order.
 */
export function encodeJsonText(value: JsonValue): string {
  if (value instanceof RawJson) return value.text;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(encodeJsonText).join(", ")}]`;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}: ${encodeJsonText(item)}`).join(", ")}}`;
}

/**
 * Creates the JSON for a float such that Python reads it as a float: `1.0`, not `1`. A value that JSON cannot represent
 * is written bare, as zarr-python does in attributes.
 */
export function encodeFloatJson(value: number): RawJson {
  if (Object.is(value, -0)) return new RawJson("-0.0");
  const text = String(value);
  return new RawJson(/^-?\d+$/.test(text) ? `${text}.0` : text);
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
