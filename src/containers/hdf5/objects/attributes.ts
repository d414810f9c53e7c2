/** Reads all attributes of an object as values. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { isAnnarrowError } from "../../../model/errors.js";
import { countElements, type FloatType, type IntType } from "../../../model/stored.js";
import type { AttributeValue } from "../../tree/container.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import { GlobalHeap } from "../heaps/global-heap.js";
import { NO_HEAP } from "../heaps/heap.js";
import { isVariable } from "../types/datatype.js";
import { getElementType } from "../types/stored-type.js";
import { type AttributeMessage, decodeAttributeValue, parseAttribute } from "./attribute.js";
import { parseAttributeInfo, readDenseAttributes } from "./dense-storage.js";
import { type HeaderMessage, MESSAGE, readObjectHeader, SharedMessages } from "./object-header.js";

/**
 * @param messages the object's header.
 * @returns the attributes in the file's order. An attribute that cannot be read becomes an `UnreadableAttribute`.
 * @throws {InvalidDataError} if the storage of the attributes is damaged.
 */
export async function readAttributes(
  file: Hdf5File,
  messages: readonly HeaderMessage[],
  options?: ReadOptions,
): Promise<Map<string, AttributeValue>> {
  const held = peekAttributes(file, messages);
  if (held !== null) return held;
  const attributes = new Map<string, AttributeValue>();
  const shared = new SharedMessages(file);
  // Most texts of one object lie in the same collection, which a shared heap reads only once.
  const heap = new GlobalHeap(file);
  for (const message of await readAttributeMessages(file, messages, options)) {
    const own = ownValue(message);
    attributes.set(message.name, own ?? (await readable(() => readValue(shared, heap, message, options))));
  }
  return attributes;
}

/**
 * Returns the attributes if all of them are in the header and refer to nothing else; otherwise null.
 * @throws the errors of `readAttributes`.
 */
export function peekAttributes(file: Hdf5File, messages: readonly HeaderMessage[]): Map<string, AttributeValue> | null {
  const attributes = new Map<string, AttributeValue>();
  for (const { type, body } of messages) {
    if (type === MESSAGE.attributeInfo && parseAttributeInfo(body, file) !== null) return null;
    if (type !== MESSAGE.attribute) continue;
    const known = file.attributes.find(body);
    if (known !== undefined) {
      attributes.set(known.name, known.value);
      continue;
    }
    const message = parseAttribute(body, file);
    const value = ownValue(message);
    if (value === null) return null;
    attributes.set(message.name, value);
    // Lists and objects are not cached, because a caller that holds them could change them.
    if (typeof value !== "object") file.attributes.add(body, { name: message.name, value });
  }
  return attributes;
}

/**
 * Returns the types of the attributes that are numbers or lists of numbers.
 * @param address the address of the object's header.
 */
export async function readAttributeTypes(
  file: Hdf5File,
  address: number,
  options?: ReadOptions,
): Promise<ReadonlyMap<string, IntType | FloatType>> {
  const shared = new SharedMessages(file);
  const types = new Map<string, IntType | FloatType>();
  for (const message of await readAttributeMessages(file, await readObjectHeader(file, address, options), options)) {
    try {
      const { type } = getElementType((await message.describe(shared, options)).datatype);
      if (type.kind === "int" || (type.kind === "float" && type.format === undefined)) types.set(message.name, type);
    } catch (error) {
      // Reading the attribute itself reports the error.
      if (!isAnnarrowError(error)) throw error;
    }
  }
  return types;
}

/** @throws {InvalidDataError} if the storage of the attributes is damaged. */
export async function readAttributeMessages(
  file: Hdf5File,
  messages: readonly HeaderMessage[],
  options?: ReadOptions,
): Promise<AttributeMessage[]> {
  const info = messages.find(({ type }) => type === MESSAGE.attributeInfo);
  const dense = info === undefined ? null : parseAttributeInfo(info.body, file);
  if (dense !== null) return await readDenseAttributes(file, dense, options);
  return messages.filter(({ type }) => type === MESSAGE.attribute).map(({ body }) => parseAttribute(body, file));
}

/** Returns the value if the message contains all of it, as nearly every message does; otherwise null. */
function ownValue(message: AttributeMessage): AttributeValue {
  try {
    const own = message.describeOwn();
    if (own === null || own.shape === null || isVariable(own.datatype)) return null;
    return decodeAttributeValue(own.datatype, own.shape, own.bytes, NO_HEAP);
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    return { kind: "unreadable", reason: error.problem };
  }
}

async function readable(read: () => Promise<AttributeValue>): Promise<AttributeValue> {
  try {
    return await read();
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    return { kind: "unreadable", reason: error.problem };
  }
}

async function readValue(
  shared: SharedMessages,
  heap: GlobalHeap,
  message: AttributeMessage,
  options?: ReadOptions,
): Promise<AttributeValue> {
  const { datatype, shape, bytes } = await message.describe(shared, options);
  if (shape === null) return null;
  await heap.fetch(datatype, bytes, countElements(shape), options);
  return decodeAttributeValue(datatype, shape, bytes, heap);
}
