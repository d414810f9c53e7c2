/**
 * Whether `value` is a Map itself. zarrita wraps stores by a `Proxy`: a wrapped Map passes for one by its prototype, and
 * must be asked by the methods that the wrapper puts before its own.
 */
export function isMap(value: object): value is Map<string, Uint8Array> {
  try {
    Map.prototype.has.call(value, "");
    return true;
  } catch {
    return false;
  }
}
