/** The messages that describe one object. Source: HDF5 File Format Specification, IV.A.1. */

import { UnsupportedError } from "../../../../model/errors.js";
import { lookup3 } from "../../bytes/lookup3.js";
import { MESSAGE } from "../../objects/object-header.js";
import { ByteBuilder } from "../space/byte-builder.js";
import type { FileSpace } from "../space/file-space.js";
import {
  type EncodedAttribute,
  encodeAttributeMessage,
  fitsHeader,
  MAX_ATTRIBUTES,
  writeDenseAttributes,
} from "./attributes.js";
import { MAX_MESSAGE_BYTES } from "./datatype-message.js";

export interface WrittenMessage {
  readonly type: number;
  /** True if libhdf5 must never change the message. */
  readonly constant?: boolean;
  readonly body: Uint8Array;
}

const NIL = 0x00;
const CONTINUATION = 0x10;

/** Size in bytes of a header, of either version, whose messages are stored elsewhere. */
const RESERVED_BYTES = 40;

/** Reserves an object's address before its header is written, because other objects may refer to it. */
export function reserveHeader(space: FileSpace): number {
  return space.allocate(RESERVED_BYTES);
}

/**
 * @param reserved the address that `reserveHeader` returned; if null, the header is appended at the end.
 * @returns the header's address.
 * @throws {UnsupportedError} for messages and attributes that exceed the format's limits.
 */
export function writeHeader(
  space: FileSpace,
  messages: readonly WrittenMessage[],
  attributes: readonly EncodedAttribute[],
  reserved: number | null,
): number {
  for (const { body } of messages) {
    if (body.length > MAX_MESSAGE_BYTES) {
      throw new UnsupportedError(`header message of ${body.length} bytes; HDF5 has room for ${MAX_MESSAGE_BYTES}`);
    }
  }
  // The message count also has 16 bits.
  if (attributes.length <= MAX_ATTRIBUTES && attributes.every(fitsHeader)) {
    const all = attributes.map(
      (one): WrittenMessage => ({ type: MESSAGE.attribute, body: encodeAttributeMessage(one) }),
    );
    return writeVersion1(space, [...messages, ...all], reserved);
  }
  // Readers overlook dense storage in a version 1 header. In version 2, they overlook attributes that are stored in the
  // header beside dense storage.
  const info = { type: MESSAGE.attributeInfo, body: writeDenseAttributes(space, attributes) };
  return writeVersion2(space, [...messages, info], reserved);
}

function writeVersion1(space: FileSpace, messages: readonly WrittenMessage[], reserved: number | null): number {
  const block = new ByteBuilder(messages.reduce((sum, { body }) => sum + 16 + body.length, 0));
  for (const message of messages) putPadded(block, message);
  const bytes = block.finish();
  const prefix = (count: number, blockBytes: number) =>
    new ByteBuilder(16 + blockBytes).u8(1, 0).u16(count).u32(1).u32(blockBytes).zeros(4);
  if (reserved === null) return space.append(prefix(messages.length, bytes.length).bytes(bytes).finish());
  const head = prefix(messages.length + 1, RESERVED_BYTES - 16);
  putPadded(head, { type: CONTINUATION, body: blockPlace(space.append(bytes), bytes.length) });
  space.place(reserved, head.finish());
  return reserved;
}

function putPadded(out: ByteBuilder, { type, constant = false, body }: WrittenMessage): void {
  out
    .u16(type)
    .u16(Math.ceil(body.length / 8) * 8)
    .u8(constant ? 1 : 0, 0, 0, 0)
    .bytes(body)
    .pad8();
}

function writeVersion2(space: FileSpace, messages: readonly WrittenMessage[], reserved: number | null): number {
  const block = new ByteBuilder(256);
  for (const message of messages) putPacked(block, message);
  const bytes = block.finish();
  // The flags declare that the size of the first block has 4 bytes.
  const prefix = (blockBytes: number) => new ByteBuilder(14 + blockBytes).ascii("OHDR").u8(2, 0x02).u32(blockBytes);
  if (reserved === null) return space.append(checksummed(prefix(bytes.length).bytes(bytes)));
  const continuation = checksummed(new ByteBuilder(8 + bytes.length).ascii("OCHK").bytes(bytes));
  const head = prefix(RESERVED_BYTES - 14);
  putPacked(head, { type: CONTINUATION, body: blockPlace(space.append(continuation), continuation.length) });
  putPacked(head, { type: NIL, body: new Uint8Array(2) });
  space.place(reserved, checksummed(head));
  return reserved;
}

function putPacked(out: ByteBuilder, { type, constant = false, body }: WrittenMessage): void {
  out
    .u8(type)
    .u16(body.length)
    .u8(constant ? 1 : 0)
    .bytes(body);
}

function checksummed(out: ByteBuilder): Uint8Array {
  return out.u32(lookup3(out.finish())).finish();
}

function blockPlace(address: number, bytes: number): Uint8Array {
  return new ByteBuilder(16).u64(address).u64(bytes).finish();
}
