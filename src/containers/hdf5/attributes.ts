/** All attributes of an object, as values. */

import { isAnnarrowError } from "../../errors.js";
import type { ReadOptions } from "../../sources/source.js";
import { product } from "../../stored.js";
import type { AttributeValue } from "../container.js";
import { type AttributeMessage, parseAttribute } from "./attribute-message.js";
import { attributeValue } from "./attribute-value.js";
import { parseAttributeInfo, readDenseAttributes } from "./dense-attributes.js";
import type { FileBytes } from "./file-bytes.js";
import { GlobalHeap } from "./global-heap.js";
import { type HeaderMessage, MESSAGE } from "./object-header.js";
import { SharedMessages } from "./shared-messages.js";

/**
 * @param messages the object's header.
 * @returns in the file's order; what cannot be read is an `UnreadableAttribute`.
 * @throws {InvalidDataError} where what holds the attributes is damaged.
 */
export async function readAttributes(
  file: FileBytes,
  messages: readonly HeaderMessage[],
  options?: ReadOptions,
): Promise<Map<string, AttributeValue>> {
  const attributes = new Map<string, AttributeValue>();
  const shared = new SharedMessages(file);
  // Most texts of one object lie in one collection, which is then read once.
  const heap = new GlobalHeap(file);
  for (const message of await attributeMessages(file, messages, options)) {
    attributes.set(message.name, await readable(() => readValue(shared, heap, message, options)));
  }
  return attributes;
}

/** @throws {InvalidDataError} where what holds the attributes is damaged. */
export async function attributeMessages(
  file: FileBytes,
  messages: readonly HeaderMessage[],
  options?: ReadOptions,
): Promise<AttributeMessage[]> {
  const info = messages.find(({ type }) => type === MESSAGE.attributeInfo);
  const dense = info === undefined ? null : parseAttributeInfo(info.body, file);
  if (dense !== null) return await readDenseAttributes(file, dense, options);
  return messages.filter(({ type }) => type === MESSAGE.attribute).map(({ body }) => parseAttribute(body, file));
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
  await heap.fetch(datatype, bytes, product(shape), options);
  return attributeValue(datatype, shape, bytes, heap);
}
