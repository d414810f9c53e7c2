/** Finds the messages of an IPC file or stream. */

import type { SeekableFile } from "../../io/sources/file-bytes.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import type { ColumnLimitOptions } from "./column-limit.js";
import {
  type BatchHeader,
  type FileBlock,
  type Header,
  readFooter,
  readMessage,
  removeMessagePrefix,
} from "./message.js";
import type { FileSchema } from "./schema.js";

export interface BatchLocation {
  readonly header: BatchHeader;
  /** Position of the body in the file. */
  readonly body: number;
}

/** A version of a dictionary, valid from a certain record batch on. */
export interface DictionaryVersion {
  /** Position of the first record batch that uses this version. */
  readonly from: number;
  /** The parts of this version, in file order. A growing dictionary consists of several parts. */
  readonly pieces: readonly BatchLocation[];
}

export interface IpcOptions extends ReadOptions, ColumnLimitOptions {
  /** Whether a stream may replace its dictionaries. If so, batches do not share dictionaries. */
  readonly mayReplace?: boolean;
}

export interface IpcMessages {
  readonly schema: FileSchema;
  /** Dictionaries by id. Each dictionary has at least one version; a later version replaces the previous version. */
  readonly dictionaries: ReadonlyMap<bigint, readonly DictionaryVersion[]>;
  readonly batches: readonly BatchLocation[];
}

const TAIL = 65536;
/** Size of footer length and magic in bytes. */
const END = 10;
/** Size in bytes of the padded magic `ARROW1`. */
export const HEAD = 8;
/** Number of messages whose metadata is read in one call. */
const AT_ONCE = 512;

/** Reads the messages listed in a file's footer. */
export async function readFileMessages(file: SeekableFile, options: IpcOptions): Promise<IpcMessages> {
  let tail = await file.tail(TAIL, options);
  const cut = () => new InvalidDataError("the file is cut off: it does not end in ARROW1");
  if (tail.length < HEAD + END || !isMagic(tail.subarray(-6))) throw cut();
  const length = new DataView(tail.buffer, tail.byteOffset + tail.length - END, 4).getInt32(0, true);
  if (length < 8) throw new InvalidDataError(`the footer has ${length} bytes`);
  if (length + END > tail.length) tail = await file.tail(length + END, options);
  if (tail.length < length + END) {
    throw new InvalidDataError(`the footer has ${length} bytes, the file ${tail.length}`);
  }
  const footer = readFooter(tail.subarray(tail.length - END - length, tail.length - END), options.maxColumns);
  const { schema, batches, dictionaries } = footer;
  checkApart([...dictionaries, ...batches]);
  const found = new DictionaryBlocks(false);
  for (const { header, body } of await headersOf(file, dictionaries, options)) {
    if (header.kind !== "dictionary") throw new InvalidDataError(`a ${header.kind} where a dictionary should be`);
    found.add(header, body, 0);
  }
  const rows = (await headersOf(file, batches, options)).map(({ header, body }) => {
    if (header.kind !== "batch") throw new InvalidDataError(`a ${header.kind} where a record batch should be`);
    return { header: header.batch, body };
  });
  return { schema, dictionaries: found.versions, batches: rows };
}

export function isMagic(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, 6)) === "ARROW1";
}

/** Collects the positions of dictionaries, in message order. */
class DictionaryBlocks {
  readonly versions = new Map<bigint, { from: number; pieces: BatchLocation[] }[]>();

  constructor(readonly mayReplace: boolean) {}

  /** Adds a dictionary message. @param from number of preceding record batches. */
  add({ id, delta, batch }: Extract<Header, { kind: "dictionary" }>, body: number, from: number): void {
    const piece = { header: batch, body };
    const known = this.versions.get(id);
    const last = known?.at(-1);
    if (known === undefined || last === undefined) this.versions.set(id, [{ from, pieces: [piece] }]);
    // A delta only appends values, so the codes of earlier batches keep their meaning.
    else if (delta) last.pieces.push(piece);
    else if (this.mayReplace) known.push({ from, pieces: [piece] });
    else {
      throw new UnsupportedError(
        `the dictionary ${id} is replaced on the way; write it with one dictionary for all batches`,
      );
    }
  }
}

/** Rejects overlapping messages. Otherwise a footer could list the same message a million times. */
function checkApart(blocks: readonly FileBlock[]): void {
  const order = [...blocks].sort((a, b) => a.offset - b.offset);
  let end = 0;
  for (const { offset, metadataLength, bodyLength } of order) {
    if (offset < end)
      throw new InvalidDataError(`the message at byte ${offset} begins before byte ${end}, where another ends`);
    end = offset + metadataLength + bodyLength;
  }
}

async function headersOf(file: SeekableFile, blocks: readonly FileBlock[], options: ReadOptions) {
  const found: { header: Header; body: number }[] = [];
  for (let at = 0; at < blocks.length; at += AT_ONCE) {
    const some = blocks.slice(at, at + AT_ONCE);
    const ranges = some.map(({ offset, metadataLength }) => ({ start: offset, end: offset + metadataLength }));
    const bytes = await file.read(ranges, options);
    some.forEach(({ offset, metadataLength, bodyLength: listed }, i) => {
      const { header, bodyLength } = readMessage(removeMessagePrefix(bytes[i]));
      if (bodyLength > listed) {
        throw new InvalidDataError(`the message at byte ${offset} has ${bodyLength} bytes, its footer says ${listed}`);
      }
      found.push({ header, body: offset + metadataLength });
    });
  }
  return found;
}

/** Finds the messages of a stream one after another without reading their bodies. */
export async function readStreamMessages(file: SeekableFile, size: number, options: IpcOptions): Promise<IpcMessages> {
  let schema: FileSchema | undefined;
  const dictionaries = new DictionaryBlocks(options.mayReplace ?? false);
  const batches: BatchLocation[] = [];
  for (let at = 0; at + 4 <= size; ) {
    options.signal?.throwIfAborted();
    const [prefix] = await file.read([{ start: at, end: Math.min(at + 8, size) }], options);
    const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
    const marked = view.getUint32(0, true) === 0xffffffff;
    if (marked && prefix.length < 8) throw new InvalidDataError(`the stream is cut off at byte ${size}`);
    const length = view.getInt32(marked ? 4 : 0, true);
    if (length === 0) break;
    const start = at + (marked ? 8 : 4);
    if (length < 0 || start + length > size) {
      throw new InvalidDataError(`the message at byte ${at} has ${length} bytes of metadata, the file ${size}`);
    }
    const [metadata] = await file.read([{ start, end: start + length }], options);
    const { header, bodyLength } = readMessage(metadata, options.maxColumns);
    const body = start + length;
    if (body + bodyLength > size) {
      throw new InvalidDataError(`the message at byte ${at} ends at byte ${body + bodyLength}, the file at ${size}`);
    }
    if (header.kind === "schema") {
      if (schema !== undefined) throw new InvalidDataError("the stream has two schemas");
      schema = header.schema;
    } else if (schema === undefined) throw new InvalidDataError("the stream does not begin with a schema");
    else if (header.kind === "batch") batches.push({ header: header.batch, body });
    else dictionaries.add(header, body, batches.length);
    at = body + bodyLength;
  }
  if (schema === undefined) throw new InvalidDataError("the stream has no schema");
  return { schema, dictionaries: dictionaries.versions, batches };
}
