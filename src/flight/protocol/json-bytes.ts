/** `value` as JSON in UTF-8, the form of what services and clients say beside Arrow data. */
export function jsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
