/** Names of objects, attributes, fields and enum members as bytes. */

import { RefusedError } from "../../../../model/errors.js";

const encoder = new TextEncoder();

/** The bytes of a name without the NUL that ends it. @throws {InvalidInputError} for what HDF5 cannot hold. */
export function nameBytes(name: string, what: string): Uint8Array {
  const shown = JSON.stringify(name);
  if (name === "") throw new RefusedError(`${what} is empty`);
  if (name.includes("\0")) throw new RefusedError(`${what} ${shown} has a NUL, which ends names in HDF5`);
  // As UTF-8 they would all be the same character.
  if (/\p{Surrogate}/u.test(name)) throw new RefusedError(`${what} ${shown} has half of a surrogate pair`);
  return encoder.encode(name);
}

/** The same for what a group holds. */
export function linkNameBytes(name: string): Uint8Array {
  if (name === ".") throw new RefusedError('the name "." stands for the group itself in HDF5');
  if (name.includes("/")) {
    throw new RefusedError(`the name ${JSON.stringify(name)} has a "/", which separates names in HDF5`);
  }
  return nameBytes(name, "the name");
}

/** The order in which libhdf5 looks for names. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}
