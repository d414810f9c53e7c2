/** The messages that describe one stored object. Source: HDF5 File Format Specification, IV.A. */

import type { ReadOptions } from "../../../sources/source.js";
import type { Hdf5File } from "../file/file-bytes.js";
import { heldMessages, readStoredMessages } from "./header-blocks.js";
import { SharedMessages } from "./shared-messages.js";

export const MESSAGE = {
  dataspace: 0x01,
  linkInfo: 0x02,
  datatype: 0x03,
  oldFillValue: 0x04,
  fillValue: 0x05,
  link: 0x06,
  externalFiles: 0x07,
  layout: 0x08,
  filterPipeline: 0x0b,
  attribute: 0x0c,
  symbolTable: 0x11,
  attributeInfo: 0x15,
  cacheImage: 0x18,
} as const;

export interface HeaderMessage {
  readonly type: number;
  readonly body: Uint8Array;
}

/** As `readObjectHeader`, where all of it is at hand without reading; null where it is not. @throws as it does. */
export function heldHeader(file: Hdf5File, address: number): readonly HeaderMessage[] | null {
  const messages = heldMessages(file, address);
  return messages === null || messages.some(({ shared }) => shared) ? null : messages;
}

/**
 * All messages of the object header at `address`, in file order; committed (shared) ones are looked up.
 * @throws {InvalidDataError} where there is no object header, or a part of it lies outside the file.
 * @throws {UnsupportedError} for messages in the shared message heap, and unknown ones that must be understood.
 */
export async function readObjectHeader(
  file: Hdf5File,
  address: number,
  options?: ReadOptions,
): Promise<HeaderMessage[]> {
  const held = heldMessages(file, address);
  if (held !== null && !held.some((message) => message.shared)) return held;
  const shared = new SharedMessages(file);
  const messages: HeaderMessage[] = [];
  for (const message of held ?? (await readStoredMessages(file, address, options))) {
    const { type, body } = message;
    messages.push({ type, body: message.shared ? await shared.find(type, body, options) : body });
  }
  return messages;
}
