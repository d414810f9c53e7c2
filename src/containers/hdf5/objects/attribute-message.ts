/** An attribute, as it stands in an object header or a heap. Source: HDF5 File Format Specification, IV.A.2.m. */

import { InvalidDataError } from "../../../model/errors.js";
import { product } from "../../../model/stored.js";
import type { ReadOptions } from "../../../sources/source.js";
import { Cursor } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/file-bytes.js";
import { parseDataspace } from "../types/dataspace.js";
import type { Datatype } from "../types/datatype.js";
import { parseDatatype } from "../types/datatype-message.js";
import { MESSAGE } from "./object-header.js";
import type { SharedMessages } from "./shared-messages.js";

export interface AttributeMessage {
  readonly name: string;
  /** @throws what of the description cannot be read; the name is known all the same. */
  describe(shared: SharedMessages, options?: ReadOptions): Promise<StoredAttribute>;
  /** The same where nothing of the description is shared; else null. */
  describeOwn(): StoredAttribute | null;
}

export interface StoredAttribute {
  readonly datatype: Datatype;
  readonly shape: readonly number[] | null;
  readonly bytes: Uint8Array;
}

/** @throws {InvalidDataError} where the message is cut off. */
export function parseAttribute(body: Uint8Array, file: Hdf5File): AttributeMessage {
  const cursor = new Cursor(body, "attribute");
  const version = cursor.u8();
  if (version < 1 || version > 3) throw new InvalidDataError(`attribute has version ${version}; 1 to 3 exist`);
  const flags = cursor.u8();
  const [nameSize, typeSize, spaceSize] = [cursor.u16(), cursor.u16(), cursor.u16()];
  if (version === 3) cursor.skip(1);
  const take = (size: number) => {
    const bytes = cursor.take(size);
    // Only version 1 pads, and says the size without it.
    if (version === 1) cursor.skip(Math.min((8 - (size % 8)) % 8, cursor.remaining));
    return bytes;
  };
  const name = new Cursor(take(nameSize), "attribute").text();
  const type = take(typeSize);
  const space = take(spaceSize);
  const sharedFlags = version === 1 ? 0 : flags;
  const described = (typeBody: Uint8Array, spaceBody: Uint8Array): StoredAttribute => {
    const datatype = parseDatatype(typeBody);
    const shape = parseDataspace(spaceBody, file.sizes);
    const length = shape === null ? 0 : product(shape) * datatype.size;
    if (length > cursor.remaining || shape?.some((size) => size > file.size)) {
      throw new InvalidDataError(`attribute of ${length} bytes in a message with ${cursor.remaining} left`);
    }
    return { datatype, shape, bytes: body.subarray(cursor.position, cursor.position + length) };
  };
  return {
    name,
    describeOwn: () => ((sharedFlags & 3) === 0 ? described(type, space) : null),
    async describe(shared, options) {
      const typeBody = sharedFlags & 1 ? await shared.find(MESSAGE.datatype, type, options) : type;
      const spaceBody = sharedFlags & 2 ? await shared.find(MESSAGE.dataspace, space, options) : space;
      return described(typeBody, spaceBody);
    },
  };
}
