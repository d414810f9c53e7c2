/** The kind of target that a container needs. */

import { InvalidInputError } from "../model/errors.js";
import type { ByteTarget, ContainerTarget, KeyValueTarget } from "../targets/target.js";

/** @throws {InvalidInputError} where the target is a store of keys. */
export function byteTarget(target: ContainerTarget, format: string): ByteTarget {
  if (target.kind === "bytes") return target;
  throw new InvalidInputError(`${format} is one file, not a store of keys`);
}

/** @throws {InvalidInputError} where the target is one file. */
export function keyValueTarget(target: ContainerTarget, format: string): KeyValueTarget {
  if (target.kind === "keys") return target;
  throw new InvalidInputError(`${format} is a store of keys, not one file`);
}
