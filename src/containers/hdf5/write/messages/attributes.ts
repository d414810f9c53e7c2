/** Writes an object's attributes. */

import { InvalidInputError, UnsupportedError } from "../../../../model/errors.js";
import { countElements } from "../../../../model/stored.js";
import type { WrittenAttribute } from "../../../tree/container-writer.js";
import { lookup3 } from "../../bytes/lookup3.js";
import { writeLeaf } from "../space/b-trees.js";
import { ByteBuilder } from "../space/byte-builder.js";
import type { FileSpace } from "../space/file-space.js";
import type { GlobalHeapWriter } from "../space/global-heap.js";
import { checkShape, checkValues, compareBytes, nameBytes } from "../values/checks.js";
import { encodeElements } from "../values/encode-elements.js";
import { encodeDataspaceMessage } from "./dataset-messages.js";
import { encodeDatatypeMessage, MAX_MESSAGE_BYTES } from "./datatype-message.js";

/** Encoded attributes, in the order in which they were added. */
export class Attributes {
  readonly #heap: GlobalHeapWriter;
  readonly #encoded = new Map<string, EncodedAttribute>();

  constructor(heap: GlobalHeapWriter, attributes: ReadonlyMap<string, WrittenAttribute> = new Map()) {
    this.#heap = heap;
    for (const [name, attribute] of attributes) this.add(name, attribute);
  }

  /** @throws {InvalidInputError} if an attribute with this name exists. Also throws the errors of `encodeAttribute`. */
  add(name: string, attribute: WrittenAttribute): void {
    if (this.#encoded.has(name)) throw new InvalidInputError(`attribute ${JSON.stringify(name)} is there already`);
    this.#encoded.set(
      name,
      located(name, () => encodeAttribute(name, attribute, this.#heap)),
    );
  }

  get encoded(): readonly EncodedAttribute[] {
    return [...this.#encoded.values()];
  }
}

/** Prepends the attribute's name to an error's message. */
function located<T>(name: string, action: () => T): T {
  const what = `attribute ${JSON.stringify(name)}`;
  try {
    return action();
  } catch (error) {
    if (error instanceof InvalidInputError) throw new InvalidInputError(`${what}: ${error.problem}`);
    if (error instanceof UnsupportedError) throw new UnsupportedError(`${what}: ${error.problem}`);
    if (error instanceof TypeError) throw new TypeError(`${what}: ${error.message}`);
    throw error;
  }
}

/** The parts of an attribute, ready for a message of either version. */
export interface EncodedAttribute {
  /** The name without its final NUL. */
  readonly name: Uint8Array;
  readonly datatype: Uint8Array;
  readonly dataspace: Uint8Array;
  readonly data: Uint8Array;
}

/** Maximum size of the name in bytes, including its NUL. */
const MAX_NAME_BYTES = 65_535;

const PADDED_HEADER_BYTES = 8;

/**
 * Encodes an attribute. The caller may reuse the memory of its values.
 * @throws {InvalidInputError} for a name, shape or value that HDF5 cannot hold.
 * @throws {UnsupportedError} for a type that HDF5 cannot represent.
 * @throws {TypeError} if the values do not match the type and shape.
 */
function encodeAttribute(name: string, attribute: WrittenAttribute, heap: GlobalHeapWriter): EncodedAttribute {
  const { type, shape, values } = attribute;
  const encodedName = nameBytes(name, "the attribute's name");
  if (encodedName.length + 1 > MAX_NAME_BYTES) {
    throw new InvalidInputError(
      `an attribute's name of ${encodedName.length} bytes; at most ${MAX_NAME_BYTES - 1} fit`,
    );
  }
  const datatype = encodeDatatypeMessage(type);
  if (shape !== null) checkShape(shape);
  const dataspace = encodeDataspaceMessage(shape);
  if ((shape === null) !== (values === null)) {
    throw new TypeError(shape === null ? "values for an attribute that has none" : "an attribute without its values");
  }
  if (shape === null || values === null) return { name: encodedName, datatype, dataspace, data: new Uint8Array(0) };
  const count = countElements(shape);
  checkValues(type, values, count);
  const data = encodeElements(type, values, 0, count, heap).slice();
  return { name: encodedName, datatype, dataspace, data };
}

/** True if the attribute fits into an object header. Larger attributes need dense storage. */
export function fitsHeader({ name, datatype, dataspace, data }: EncodedAttribute): boolean {
  const parts = padded(name.length + 1) + padded(datatype.length) + padded(dataspace.length);
  return PADDED_HEADER_BYTES + parts + padded(data.length) <= MAX_MESSAGE_BYTES;
}

/**
 * Creates the message for an object header. The parts of the message are padded, but their stated sizes exclude the
 * padding.
 */
export function encodeAttributeMessage({ name, datatype, dataspace, data }: EncodedAttribute): Uint8Array {
  const out = new ByteBuilder(256 + data.length).u8(1, 0);
  out
    .u16(name.length + 1)
    .u16(datatype.length)
    .u16(dataspace.length);
  out
    .bytes(name)
    .zeros(8 - (name.length % 8))
    .bytes(datatype)
    .pad8()
    .bytes(dataspace)
    .pad8()
    .bytes(data);
  return out.finish();
}

function heapAttributeMessage({ name, datatype, dataspace, data }: EncodedAttribute): Uint8Array {
  const out = new ByteBuilder(9 + name.length + 1 + datatype.length + dataspace.length + data.length).u8(3, 0);
  out
    .u16(name.length + 1)
    .u16(datatype.length)
    .u16(dataspace.length);
  // The character set of the name is UTF-8.
  return out.u8(1).bytes(name).u8(0).bytes(datatype).bytes(dataspace).bytes(data).finish();
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/**
 * Maximum number of attributes. Each of their trees has one node, whose 16-bit record count leaves room for libhdf5 to
 * add a few.
 */
export const MAX_ATTRIBUTES = 65_000;

const HEAP_BYTES = 146;

/** The first byte of heap ids for huge objects. The other 7 bytes contain the object's number. */
const HUGE = 0x10;

/**
 * @returns the attribute info message that points to the attributes.
 * @throws {UnsupportedError} for more attributes than one node can list.
 */
export function writeDenseAttributes(space: FileSpace, attributes: readonly EncodedAttribute[]): Uint8Array {
  const count = attributes.length;
  if (count > MAX_ATTRIBUTES) {
    throw new UnsupportedError(`${count} attributes of one object; at most ${MAX_ATTRIBUTES} are written`);
  }
  let total = 0;
  const objects = new ByteBuilder(24 * count);
  const names: { readonly hash: number; readonly name: Uint8Array; readonly id: number }[] = [];
  attributes.forEach((attribute, i) => {
    const message = heapAttributeMessage(attribute);
    const id = i + 1;
    objects.u64(space.append(message)).u64(message.length).u64(id);
    names.push({ hash: lookup3(attribute.name), name: attribute.name, id });
    total += message.length;
  });
  const objectTree = writeLeaf(space, 1, 24, objects.finish());
  const heap = space.append(heapHeader(count, total, objectTree));
  names.sort((a, b) => a.hash - b.hash || compareBytes(a.name, b.name));
  const byName = new ByteBuilder(17 * count);
  // There are no flags, and the creation order is not tracked.
  for (const { hash, id } of names) byName.u8(HUGE).u32(id).zeros(3).u8(0).u32(0xffff).u32(hash);
  const nameTree = writeLeaf(space, 8, 17, byName.finish());
  return new ByteBuilder(18).u8(0, 0).u64(heap).u64(nameTree).finish();
}

function heapHeader(count: number, total: number, objectTree: number): Uint8Array {
  const out = new ByteBuilder(HEAP_BYTES).ascii("FRHP").u8(0);
  // Ids have 8 bytes, there is no filter, and direct blocks have checksums.
  out.u16(8).u16(0).u8(2);
  // The size of the largest managed object, the number of the next huge object, and the tree of huge objects.
  out
    .u32(4096)
    .u64(count + 1)
    .u64(objectTree);
  // The managed objects: there is no free space, and therefore no manager for it; nothing is allocated, and there are
  // no objects.
  out.u64(0).address(null).zeros(32);
  out.u64(total).u64(count).zeros(16);
  // The doubling table has libhdf5's usual parameters, and no root block.
  out.u16(4).u64(1024).u64(65_536).u16(40).u16(1).address(null).u16(0);
  return out.u32(lookup3(out.finish())).finish();
}
