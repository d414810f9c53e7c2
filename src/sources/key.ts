import { InvalidInputError } from "../model/errors.js";

/**
 * The segments of a key such as `obs/_index/.zarray`.
 * @throws {InvalidInputError} for a key that is empty, absolute, or has a segment that is empty, `.` or `..`.
 */
export function keySegments(key: string): string[] {
  const segments = key.split("/");
  for (const segment of segments) {
    if (segment === "" || segment === "." || segment === ".." || segment.includes("\0")) {
      throw new InvalidInputError(`key ${JSON.stringify(key)} is not a path inside the store`);
    }
  }
  return segments;
}

/** `keySegments` of a prefix to list; the root, `""`, has none. A trailing slash means nothing. */
export function prefixSegments(prefix: string): string[] {
  const trimmed = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
  return trimmed === "" ? [] : keySegments(trimmed);
}
