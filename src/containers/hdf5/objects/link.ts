/** Links: the names in a group and their targets. Source: HDF5 File Format Specification, IV.A.2.g. */

import { compareByCodePoint } from "../../../kernels/text/names.js";
import { InvalidDataError } from "../../../model/errors.js";
import { Cursor, type FieldSizes } from "../bytes/cursor.js";

export type Link =
  | { readonly kind: "hard" /** Of the object header. */; readonly address: number }
  | { readonly kind: "soft"; readonly target: string }
  | { readonly kind: "external"; readonly file: string; readonly path: string }
  | { readonly kind: "user-defined"; readonly type: number };

export interface GroupLinks {
  /** Returns the names, sorted by code point. */
  names(): readonly string[];
  /** Returns the link, or null if there is no link with this name. */
  find(name: string): Link | null;
}

/** @throws {InvalidDataError} if a name occurs twice. */
export function createGroupLinks(links: Iterable<readonly [string, Link]>): GroupLinks {
  const byName = new Map<string, Link>();
  for (const [name, link] of links) {
    if (byName.has(name)) throw new InvalidDataError(`the name ${JSON.stringify(name)} stands twice in the group`);
    byName.set(name, link);
  }
  const names = [...byName.keys()].sort(compareByCodePoint);
  return { names: () => names, find: (name) => byName.get(name) ?? null };
}

const EXTERNAL = 64;

/** @throws {InvalidDataError} if the message is truncated or unknown. */
export function parseLink(body: Uint8Array, sizes: FieldSizes): [string, Link] {
  const cursor = new Cursor(body, "link message");
  const version = cursor.u8();
  if (version !== 1) throw new InvalidDataError(`link message has version ${version}; only 1 exists`);
  const flags = cursor.u8();
  const type = flags & 0x08 ? cursor.u8() : 0;
  // Skips the creation order and the name's character set, because all names are read as UTF-8.
  if (flags & 0x04) cursor.skip(8);
  if (flags & 0x10) cursor.skip(1);
  const name = decode(cursor.take(cursor.uint(1 << (flags & 3))));
  if (type === 0) return [name, { kind: "hard", address: cursor.uint(sizes.offsets) }];
  const value = new Cursor(cursor.take(cursor.u16()), "link message");
  if (type === 1) return [name, { kind: "soft", target: decode(value.bytes) }];
  if (type < EXTERNAL) throw new InvalidDataError(`link ${JSON.stringify(name)} has type ${type}, which is reserved`);
  if (type > EXTERNAL) return [name, { kind: "user-defined", type }];
  value.skip(1);
  return [name, { kind: "external", file: value.text(), path: value.text() }];
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
