/** Objects of BPCells' R classes, each as the group of arrays that the readers of matrices and fragments take. */

import type { Group } from "../../containers/tree/container.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import type { ReadOptions } from "../../sources/source.js";
import type { Follow } from "../context.js";
import type { ObjectContext } from "./objects/context.js";
import { REFERRING } from "./objects/openers.js";
import { SlotGroup, versionOf } from "./stores/slot-group.js";

/** How paths in objects are followed; without it none is. */
export interface ObjectOptions extends ReadOptions {
  readonly follow?: Follow;
}

/** The group's attribute `version` says what its arrays are. */
type ObjectOpener = (object: Group, className: string, cx: ObjectContext) => Promise<Group>;

/** The classes, verbatim. */
const OPENERS: ReadonlyMap<string, ObjectOpener> = new Map([
  ["PackedMatrixMem_uint32_t", held(/^packed-uint-matrix-/)],
  ["PackedMatrixMem_float", held(/^packed-float-matrix-/)],
  ["PackedMatrixMem_double", held(/^packed-double-matrix-/)],
  ["UnpackedMatrixMem_uint32_t", held(/^unpacked-uint-matrix-/)],
  ["UnpackedMatrixMem_float", held(/^unpacked-float-matrix-/)],
  ["UnpackedMatrixMem_double", held(/^unpacked-double-matrix-/)],
  ["PackedMemFragments", held(/^packed-fragments-/)],
  ["UnpackedMemFragments", held(/^unpacked-fragments-/)],
  ...REFERRING,
]);

/**
 * What an S4 object, or a list of arrays as BPCells' C++ code gives it, holds.
 * @throws {UnsupportedError} for classes that are not read: what they hold may stand for something else.
 */
export async function openObject(object: Group, options: ObjectOptions): Promise<Group> {
  const counted = { objects: 0 };
  const open = async (inner: Group, depth: number): Promise<Group> => {
    if (depth > MAX_DEPTH) throw new UnsupportedError(`objects in objects, more than ${MAX_DEPTH} deep`);
    if (++counted.objects > MAX_OBJECTS) throw new UnsupportedError(`an object of more than ${MAX_OBJECTS} others`);
    const { follow = notFollowed } = options;
    return openWith(inner, { options, follow, open: (next) => open(next, depth + 1) });
  };
  return open(object, 0);
}

/** Deeper and more than any real object. */
const MAX_DEPTH = 256;
const MAX_OBJECTS = 2 ** 14;

function notFollowed(path: string): Promise<never> {
  return Promise.reject(new UnsupportedError(`the data lie at ${JSON.stringify(path)}, where they cannot be read`));
}

async function openWith(object: Group, cx: ObjectContext): Promise<Group> {
  const className = classOf(object);
  if (className === null) {
    const version = await versionOf(object, cx.options);
    if (version === null) throw new UnsupportedError("a list that has no version", { element: object.path });
    return new SlotGroup(object, version);
  }
  const opener = OPENERS.get(className);
  if (opener === undefined) {
    const what =
      object.attributes.get("package") === "BPCells"
        ? `the lazy operation ${className} of BPCells, which only R evaluates`
        : `an R object of the class ${className}`;
    throw new UnsupportedError(what, { element: object.path });
  }
  return opener(object, className, cx);
}

/** The class of an object, the first where it has several; null for what is a list. */
export function classOf(group: Group): string | null {
  const value = group.attributes.get("class");
  const name: unknown = Array.isArray(value) ? value[0] : value;
  return typeof name === "string" ? name : null;
}

function held(expected: RegExp): ObjectOpener {
  return async (object, className, { options }) => {
    const version = await versionOf(object, options);
    if (version === null || !expected.test(version)) {
      const found = version === null ? "no version" : `version ${JSON.stringify(version)}`;
      throw new InvalidDataError(`${found} in an object of the class ${className}`, { element: object.path });
    }
    return new SlotGroup(object, version);
  };
}
