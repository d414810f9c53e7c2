/** Where the messages of an IPC file or stream stand. */

import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import type { SeekableFile } from "../../sources/file-bytes.js";
import type { ReadOptions } from "../../sources/source.js";
import { type BatchHeader, type FileBlock, type Header, readFooter, readMessage, withoutPrefix } from "./message.js";
import type { FileSchema } from "./schema.js";

export interface BatchBlock {
  readonly header: BatchHeader;
  /** Where the body begins in the file. */
  readonly body: number;
}

/** What a dictionary is from one record batch on. */
export interface DictionaryVersion {
  /** Position of that batch. */
  readonly from: number;
  /** In the order of the file: a dictionary that grows comes in pieces. */
  readonly pieces: readonly BatchBlock[];
}

export interface IpcOptions extends ReadOptions {
  /** Whether a stream may replace its dictionaries; its batches do not share them then. */
  readonly mayReplace?: boolean;
}

export interface IpcMessages {
  readonly schema: FileSchema;
  /** By their numbers; at least one version of each, all but the first of which replace another. */
  readonly dictionaries: ReadonlyMap<bigint, readonly DictionaryVersion[]>;
  readonly batches: readonly BatchBlock[];
}

const TAIL = 65536;
/** Footer length and magic. */
const END = 10;
/** `ARROW1`, padded. */
export const HEAD = 8;
/** Messages whose metadata are read in one call. */
const AT_ONCE = 512;

/** The messages that the footer of a file lists. */
export async function messagesOfFile(file: SeekableFile, options: ReadOptions): Promise<IpcMessages> {
  let tail = await file.tail(TAIL, options);
  const cut = () => new InvalidDataError("the file is cut off: it does not end in ARROW1");
  if (tail.length < HEAD + END || !isMagic(tail.subarray(-6))) throw cut();
  const length = new DataView(tail.buffer, tail.byteOffset + tail.length - END, 4).getInt32(0, true);
  if (length < 8) throw new InvalidDataError(`the footer has ${length} bytes`);
  if (length + END > tail.length) tail = await file.tail(length + END, options);
  if (tail.length < length + END) {
    throw new InvalidDataError(`the footer has ${length} bytes, the file ${tail.length}`);
  }
  const footer = readFooter(tail.subarray(tail.length - END - length, tail.length - END));
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

/** Where the dictionaries of a file lie, as their messages come. */
class DictionaryBlocks {
  readonly versions = new Map<bigint, { from: number; pieces: BatchBlock[] }[]>();

  constructor(readonly mayReplace: boolean) {}

  /** @param from how many batches came before. */
  add({ id, delta, batch }: Extract<Header, { kind: "dictionary" }>, body: number, from: number): void {
    const piece = { header: batch, body };
    const known = this.versions.get(id);
    const last = known?.at(-1);
    if (known === undefined || last === undefined) this.versions.set(id, [{ from, pieces: [piece] }]);
    // Codes of the batches before mean what they meant.
    else if (delta) last.pieces.push(piece);
    else if (this.mayReplace) known.push({ from, pieces: [piece] });
    else {
      throw new UnsupportedError(
        `the dictionary ${id} is replaced on the way; write it with one dictionary for all batches`,
      );
    }
  }
}

/** A footer can list one message a million times. */
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
      const { header, bodyLength } = readMessage(withoutPrefix(bytes[i]));
      if (bodyLength > listed) {
        throw new InvalidDataError(`the message at byte ${offset} has ${bodyLength} bytes, its footer says ${listed}`);
      }
      found.push({ header, body: offset + metadataLength });
    });
  }
  return found;
}

/** The messages of a stream, found one behind the other; their bodies are passed over. */
export async function messagesOfStream(file: SeekableFile, size: number, options: IpcOptions): Promise<IpcMessages> {
  let schema: FileSchema | undefined;
  const dictionaries = new DictionaryBlocks(options.mayReplace ?? false);
  const batches: BatchBlock[] = [];
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
    const { header, bodyLength } = readMessage(metadata);
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
