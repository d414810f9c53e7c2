/**
 * Follows links by hand, one segment at a time: libhdf5 would open another file at the first external link on the way.
 * The result leads over hard links only.
 */

import { InvalidDataError, NotFoundError, UnsupportedError } from "../../errors.js";
import type { LibraryFile } from "./library.js";

/** As many soft links as libhdf5 follows in a row. */
const MAX_SOFT_LINKS = 16;

/**
 * @param group absolute path of a group over hard links; `""` is the root.
 * @param name one segment.
 * @throws {NotFoundError} where there is no such link, or it leads nowhere.
 * @throws {UnsupportedError} for a link into another file.
 */
export function followLink(file: LibraryFile, group: string, name: string): string {
  if (name === "" || name === "." || name.includes("/") || name.includes("\0")) throw notFound(name);
  let at = group;
  let followed = 0;
  const segments = [name];
  for (let segment = segments.shift(); segment !== undefined; segment = segments.shift()) {
    const path = `${at}/${segment}`;
    const link = file.link(path);
    if (link === null)
      throw followed === 0 ? notFound(name) : new NotFoundError(`link leads to ${path}, which is not there`);
    switch (link.kind) {
      case "hard":
        at = path;
        break;
      case "external":
        throw new UnsupportedError(`external link to ${link.path} in the file ${link.file}`);
      case "soft":
        if (++followed > MAX_SOFT_LINKS) throw new NotFoundError(`more than ${MAX_SOFT_LINKS} soft links in a row`);
        if (link.target.startsWith("/")) at = "";
        segments.unshift(...splitPath(link.target));
        break;
      default:
        link satisfies never;
    }
  }
  return at;
}

/** The segments of a path; `.` and empty ones mean nothing in HDF5, `..` is an ordinary name. */
export function splitPath(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

/** The path over hard links of an absolute path. @throws as `followLink`. */
export function followPath(file: LibraryFile, path: string): string {
  let at = "";
  for (const segment of splitPath(path)) at = followLink(file, at, segment);
  return at;
}

function notFound(name: string): NotFoundError {
  return new NotFoundError(`no child of the name ${JSON.stringify(name)}`);
}

/** The number in an object address of `create_object_reference`. @throws {InvalidDataError} beyond 2^53. */
export function addressNumber(bytes: Uint8Array): number {
  let value = 0;
  for (let i = bytes.length - 1; i >= 0; i--) value = value * 256 + bytes[i];
  if (value > Number.MAX_SAFE_INTEGER) throw new InvalidDataError(`object reference to address ${value}, beyond 2^53`);
  return value;
}
