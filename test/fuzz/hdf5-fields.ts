/** The numbers of an HDF5 file ("HDF5 File Format Specification", version 3): addresses, sizes, counts, kinds. */

import { type Field, field, type Structure, structure } from "./fields.js";

const SIGNATURE =
  /\x89HDF|OHDR|OCHK|TREE|SNOD|HEAP|GCOL|FRHP|FHIB|FHDB|BTHD|BTIN|BTLF|FAHD|FADB|EAHD|EAIB|EASB|EADB|SMTB|SMLI/g;

/** Headers whose fields have widths that other fields say: every place in them is one. */
const HEADERS = new Set(["\x89HDF", "FRHP", "BTHD", "FAHD", "EAHD", "FADB", "EAIB", "SMTB"]);
const HEADER_BYTES = 56;

const MAX_MESSAGES = 2000;

/** @param starts where the undamaged file is read: objects and data lie at some of these. */
export function hdf5Fields(bytes: Uint8Array, starts: readonly number[]): Structure {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  const signatures = [...text.matchAll(SIGNATURE)].map(({ index, 0: name }) => ({ at: index, name }));
  const objects = new Set([
    ...signatures.filter(({ name }) => name === "OHDR").map(({ at }) => at),
    ...starts.filter((at) => isOldHeader(view, at)),
  ]);
  const places = new Set([...signatures.map(({ at }) => at), ...starts]);
  const fields = [
    ...addresses(view, objects, places),
    ...signatures.flatMap(({ at, name }) => blockFields(view, at, name)),
    ...[...objects].flatMap((at) => headerFields(view, text, at)),
  ];
  return structure(fields, [...places, ...objects], bytes.length);
}

/** Version 1 has no signature: one is told by its reserved byte, and a size that is a multiple of 8. */
function isOldHeader(view: DataView, at: number): boolean {
  if (at + 24 > view.byteLength || view.getUint8(at) !== 1 || view.getUint8(at + 1) !== 0) return false;
  const messages = view.getUint16(at + 2, true);
  const size = view.getUint32(at + 8, true);
  return messages > 0 && size % 8 === 0 && size >= 8 && at + 16 + size <= view.byteLength;
}

/** Whatever stands for a place that something is read from: links, references of MATLAB, trees, heaps, data. */
function addresses(view: DataView, objects: ReadonlySet<number>, places: ReadonlySet<number>): Field[] {
  const found: Field[] = [];
  for (let at = 0; at + 8 <= view.byteLength; at++) {
    const value = view.getUint32(at, true);
    if (value < 8 || view.getUint32(at + 4, true) !== 0) continue;
    if (objects.has(value)) found.push(field(at, 8, "object"));
    else if (places.has(value)) found.push(field(at, 8, "address"));
  }
  return found;
}

function blockFields(view: DataView, at: number, name: string): Field[] {
  switch (name) {
    case "TREE":
      return [field(at + 4, 1, "tag"), field(at + 5, 1, "size"), field(at + 6, 2, "count"), field(at + 24, 8, "size")];
    case "SNOD":
      return [field(at + 6, 2, "count")];
    case "HEAP":
      return [field(at + 8, 8, "size"), field(at + 16, 8, "size")];
    case "GCOL":
      return [field(at + 8, 8, "size"), ...heapObjects(view, at)];
    default:
      if (!HEADERS.has(name)) return [];
      return Array.from({ length: HEADER_BYTES }, (_, i) => field(at + 4 + i, [1, 2, 4, 8][i % 4], "size"));
  }
}

function heapObjects(view: DataView, collection: number): Field[] {
  const found: Field[] = [];
  for (let at = collection + 16; at + 16 <= view.byteLength && found.length < MAX_MESSAGES; ) {
    const index = view.getUint16(at, true);
    const size = view.getUint32(at + 8, true);
    if (index === 0) break;
    found.push(field(at, 2, "count"), field(at + 8, 8, "size"));
    at += 16 + Math.ceil(size / 8) * 8;
  }
  return found;
}

/** The messages of an object header, with those of its continuations. */
function headerFields(view: DataView, text: string, at: number): Field[] {
  const found: Field[] = [];
  const isNew = text.startsWith("OHDR", at);
  const flags = isNew ? view.getUint8(at + 5) : 0;
  const prefix = isNew ? 4 + (flags & 4 ? 2 : 0) : 8;
  const blocks: [start: number, end: number][] = [];
  if (isNew) {
    const size = at + 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
    const width = 1 << (flags & 3);
    if (size + 8 > view.byteLength) return [];
    const length = width === 8 ? Number(view.getBigUint64(size, true)) : unsigned(view, size, width);
    found.push(field(at + 5, 1, "tag"), field(size, width, "size"));
    blocks.push([size + width, size + width + length]);
  } else {
    found.push(field(at + 2, 2, "count"), field(at + 8, 4, "size"));
    blocks.push([at + 16, at + 16 + view.getUint32(at + 8, true)]);
  }
  for (let i = 0; i < blocks.length && found.length < MAX_MESSAGES; i++) {
    const end = Math.min(blocks[i][1], view.byteLength - 8);
    for (let message = blocks[i][0]; message + prefix <= end; ) {
      const type = unsigned(view, message, isNew ? 1 : 2);
      const size = unsigned(view, message + (isNew ? 1 : 2), 2);
      const body = message + prefix;
      found.push(field(message, isNew ? 1 : 2, "tag"), field(message + (isNew ? 1 : 2), 2, "size"));
      if (body + size > view.byteLength) break;
      found.push(...messageFields(view, type, body, size));
      if (type === 0x10 && size >= 16 && blocks.length < 20) {
        const start = view.getUint32(body, true);
        const length = view.getUint32(body + 8, true);
        blocks.push(isNew ? [start + 4, start + length - 4] : [start, start + length]);
        found.push(field(body + 8, 8, "size"));
      }
      message = body + size;
    }
  }
  return found;
}

function unsigned(view: DataView, at: number, width: number): number {
  if (at + width > view.byteLength) return 0;
  return width === 1 ? view.getUint8(at) : width === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
}

function messageFields(view: DataView, type: number, at: number, size: number): Field[] {
  if (size < 4) return [];
  const version = view.getUint8(at);
  switch (type) {
    case 0x01: {
      const first = at + (version === 1 ? 8 : 4);
      const fit = Math.max(0, Math.floor((at + size - first) / 8));
      return [field(at + 1, 1, "size"), ...Array.from({ length: fit }, (_, i) => field(first + 8 * i, 8, "count"))];
    }
    case 0x03:
      return [field(at, 1, "tag"), field(at + 4, 4, "size"), field(at + 8, 2, "size"), field(at + 10, 2, "size")];
    case 0x05:
      return [field(at + (version >= 3 ? 2 : 4), 4, "size"), field(at + 1, 1, "tag")];
    case 0x08: {
      const layout = view.getUint8(at + 1);
      const dimensions = layout === 2 ? Math.floor((size - 11) / 4) : 0;
      return [
        field(at + 1, 1, "tag"),
        field(at + 2, layout === 0 ? 2 : 1, "size"),
        field(at + (layout === 2 ? 3 : 2), 8, "address"),
        ...(layout === 1 ? [field(at + 10, 8, "size")] : []),
        ...Array.from({ length: Math.max(0, dimensions) }, (_, i) => field(at + 11 + 4 * i, 4, "count")),
      ];
    }
    case 0x0b:
      return [field(at + 1, 1, "count"), field(at + (version === 1 ? 8 : 2), 2, "tag")];
    case 0x0c:
      return attributeFields(view, version, at, size);
    default:
      return [field(at, 1, "tag"), field(at + 1, 1, "tag"), field(at + 2, 2, "size"), field(at + 4, 4, "size")];
  }
}

function attributeFields(view: DataView, version: number, at: number, size: number): Field[] {
  const own = [2, 4, 6].map((offset) => field(at + offset, 2, "size"));
  const [name, datatype, dataspace] = [2, 4, 6].map((offset) => unsigned(view, at + offset, 2));
  const padded = (length: number) => (version === 1 ? Math.ceil(length / 8) * 8 : length);
  const type = at + (version === 3 ? 9 : 8) + padded(name);
  const space = type + padded(datatype);
  if (space + dataspace > at + size) return own;
  return [...own, ...messageFields(view, 0x03, type, datatype), ...messageFields(view, 0x01, space, dataspace)];
}
