/** All attributes of an object, as values. */

import { InvalidDataError, isAnnarrowError } from "../../errors.js";
import type { ReadOptions } from "../../sources/source.js";
import { product } from "../../stored.js";
import type { AttributeValue } from "../container.js";
import { type AttributeMessage, parseAttribute } from "./attribute-message.js";
import { attributeValue } from "./attribute-value.js";
import { Cursor } from "./cursor.js";
import { isVariable } from "./datatype.js";
import type { FileBytes } from "./file-bytes.js";
import { GlobalHeap } from "./global-heap.js";
import { NO_HEAP } from "./heap.js";
import type { LazyLibrary } from "./lazy-library.js";
import type { LibraryFile } from "./library.js";
import { libraryHeap } from "./library-heap.js";
import { type HeaderMessage, MESSAGE } from "./object-header.js";

/**
 * @param path for the library.
 * @param messages the object's header. Many or large attributes lie elsewhere: those are the library's business.
 * @returns in the file's order; what cannot be read is an `UnreadableAttribute`.
 */
export async function readAttributes(
  file: FileBytes,
  lazy: LazyLibrary,
  path: string,
  messages: readonly HeaderMessage[],
  options?: ReadOptions,
): Promise<Map<string, AttributeValue>> {
  const attributes = new Map<string, AttributeValue>();
  if (isDense(messages, file)) {
    const { file: library } = await lazy.open(options);
    for (const name of library.attributeNames(path)) {
      attributes.set(name, await readable(() => readFromLibrary(library, path, name, file.size)));
    }
    return attributes;
  }
  for (const { type, body } of messages) {
    if (type !== MESSAGE.attribute) continue;
    const message = parseAttribute(body, file);
    attributes.set(message.name, await readable(() => readFromHeader(file, message, options)));
  }
  return attributes;
}

/** Whether attributes lie in a heap of their own, which the attribute info message then names. */
function isDense(messages: readonly HeaderMessage[], file: FileBytes): boolean {
  const info = messages.find(({ type }) => type === MESSAGE.attributeInfo);
  if (info === undefined) return false;
  const cursor = new Cursor(info.body, "attribute info");
  cursor.skip(1);
  if (cursor.u8() & 1) cursor.skip(2);
  return cursor.optional(file.sizes.offsets) !== null;
}

async function readable(read: () => AttributeValue | Promise<AttributeValue>): Promise<AttributeValue> {
  try {
    return await read();
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    return { kind: "unreadable", reason: error.problem };
  }
}

async function readFromHeader(
  file: FileBytes,
  message: AttributeMessage,
  options?: ReadOptions,
): Promise<AttributeValue> {
  const { datatype, shape, bytes } = await message.describe(options);
  if (shape === null) return null;
  const heap = new GlobalHeap(file);
  await heap.fetch(datatype, bytes, product(shape), options);
  return attributeValue(datatype, shape, bytes, heap);
}

function readFromLibrary(library: LibraryFile, path: string, name: string, fileBytes: number): AttributeValue {
  const { datatype, shape } = library.attribute(path, name);
  if (shape === null) return null;
  const bytes = product(shape) * datatype.size;
  // In memory a pointer takes the place of 16 bytes in the file; all else has its own size.
  if (!(bytes <= fileBytes) || shape.some((size) => size > fileBytes)) {
    throw new InvalidDataError(`attribute of ${shape.join(" x ")} values, ${bytes} bytes, in a file of ${fileBytes}`);
  }
  if (bytes === 0) return attributeValue(datatype, shape, new Uint8Array(0), NO_HEAP);
  return library.readAttribute(path, name, bytes, isVariable(datatype), (values, memory) =>
    attributeValue(datatype, shape, values, libraryHeap(memory)),
  );
}
