/** JSON as documents of a store have it: 64-bit integers with all digits, floats that stay floats. */

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

/** Text that is JSON already. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The text of a value. Numbers are integers or come from `floatJson`; Maps are objects, in their order. */
export function jsonText(value: JsonValue): string {
  if (value instanceof RawJson) return value.text;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(jsonText).join(", ")}]`;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}: ${jsonText(item)}`).join(", ")}}`;
}

/**
 * A float, which Python reads back as one: `1.0`, not `1`. What JSON has no number for is written as zarr-python writes
 * it into attributes, bare.
 */
export function floatJson(value: number): RawJson {
  if (Object.is(value, -0)) return new RawJson("-0.0");
  const text = String(value);
  return new RawJson(/^-?\d+$/.test(text) ? `${text}.0` : text);
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
