/** Creates the checked description of a dataset from its object header. */

import { MAX_CHUNK_BYTES } from "../../../kernels/codecs/bounds/byte-codec.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import { MAX_CHUNKS } from "../../tree/container.js";
import { Cursor } from "../bytes/cursor.js";
import { type Filter, parseFilterPipeline } from "../chunks/filters.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import { FOLLOW_ADVICE } from "../followed/followed-files.js";
import { type DataLayout, parseLayout } from "../objects/layout.js";
import { type HeaderMessage, MESSAGE } from "../objects/object-header.js";
import { parseDataspace, parseMaximum } from "../types/dataspace.js";
import type { Datatype } from "../types/datatype.js";
import { parseDatatype } from "../types/datatype-message.js";

/** A dataset in serializable form, which can be sent to workers. */
export interface Hdf5Dataset {
  readonly datatype: Datatype;
  /** The shape without the dimensions of an array datatype; null for a null dataspace. */
  readonly extent: readonly number[] | null;
  /** The maximum extent, with null for an unlimited dimension; empty if the layout does not use it. */
  readonly maximum: readonly (number | null)[];
  readonly layout: DataLayout;
  readonly filters: readonly Filter[];
  /** The bytes of an element that was never written; empty if they are zero. */
  readonly fill: Uint8Array;
}

/**
 * @throws {UnsupportedError} for external storage, and for chunks larger than `MAX_CHUNK_BYTES`.
 * @throws {InvalidDataError} if a message is missing or damaged, or the sizes are impossible in this file.
 */
export function describeDataset(messages: readonly HeaderMessage[], file: Hdf5File): Hdf5Dataset {
  if (messages.some(({ type }) => type === MESSAGE.externalFiles)) {
    throw new UnsupportedError(`external storage: the values lie in another file; ${FOLLOW_ADVICE}`);
  }
  const dataspace = required(messages, MESSAGE.dataspace, "dataspace");
  const extent = parseDataspace(dataspace, file.sizes);
  const typeMessage = required(messages, MESSAGE.datatype, "datatype");
  const datatype = file.datatypes.find(typeMessage) ?? file.datatypes.add(typeMessage, parseDatatype(typeMessage));
  const pipeline = messages.find(({ type }) => type === MESSAGE.filterPipeline);
  const filters = pipeline === undefined ? [] : parseFilterPipeline(pipeline.body);
  const layout = parseLayout(required(messages, MESSAGE.layout, "layout"), extent?.length ?? 0, file.sizes);
  if (extent !== null) checkSize(extent, datatype, layout, file);
  const maximum = extent !== null && isNumbered(layout) ? parseMaximum(dataspace, extent, file.sizes) : [];
  const fill = extent === null ? NO_FILL : parseFillValue(messages, datatype.size);
  return { datatype, extent, maximum, layout, filters, fill };
}

/** True if chunks are numbered according to the maximum shape. */
function isNumbered(layout: DataLayout): boolean {
  return layout.kind === "chunked" && layout.index.kind !== "tree" && layout.index.kind !== "version-2-tree";
}

function required(messages: readonly HeaderMessage[], type: number, name: string): Uint8Array {
  const found = messages.find((message) => message.type === type);
  if (found === undefined) throw new InvalidDataError(`dataset has no ${name} message`);
  return found.body;
}

function checkSize(extent: readonly number[], datatype: Datatype, layout: DataLayout, file: Hdf5File): void {
  const bytes = countElements(extent) * datatype.size;
  switch (layout.kind) {
    case "compact":
      if (layout.bytes.length < bytes) {
        throw new InvalidDataError(`${bytes} bytes of values in a compact dataset of ${layout.bytes.length}`);
      }
      return;
    case "contiguous": {
      // Values without an address were never written. The reader creates them row by row.
      const { address } = layout;
      if (address !== null && address + bytes > file.size) {
        throw new InvalidDataError(`${bytes} bytes of values at address ${address} in a file of ${file.size} bytes`);
      }
      return;
    }
    case "chunked": {
      if (layout.elementSize !== datatype.size) {
        throw new InvalidDataError(
          `chunks hold elements of ${layout.elementSize} bytes, the type has ${datatype.size}`,
        );
      }
      const chunks = countElements(extent.map((size, d) => Math.ceil(size / layout.chunk[d])));
      if (chunks > MAX_CHUNKS) {
        throw new InvalidDataError(
          `shape ${extent.join(" x ")} in chunks of ${layout.chunk.join(" x ")} makes ${chunks} chunks; at most ${MAX_CHUNKS} are read`,
        );
      }
      const chunkBytes = countElements(layout.chunk) * datatype.size;
      if (chunkBytes > MAX_CHUNK_BYTES) {
        throw new UnsupportedError(`chunks of ${chunkBytes} bytes; at most ${MAX_CHUNK_BYTES} are read`);
      }
      return;
    }
    case "virtual":
      return;
    default:
      layout satisfies never;
  }
}

const UNDEFINED = 0xffff_ffff;

/** An empty fill value, which stands for zeros. It saves memory, because a file can declare elements of any size. */
export const NO_FILL = new Uint8Array(0);

/**
 * Returns the `size` bytes of the fill value in separate memory, or `NO_FILL` if no fill value is defined.
 * @throws {InvalidDataError} if the size is wrong.
 */
export function parseFillValue(messages: readonly HeaderMessage[], size: number): Uint8Array {
  const message =
    messages.find((m) => m.type === MESSAGE.fillValue) ?? messages.find((m) => m.type === MESSAGE.oldFillValue);
  if (message === undefined) return NO_FILL;
  const cursor = new Cursor(message.body, "fill value");
  if (message.type === MESSAGE.fillValue && !isDefined(cursor)) return NO_FILL;
  const length = cursor.u32();
  // The size is signed in versions 1 and 2, where -1 means that the value is not defined.
  if (length === 0 || length === UNDEFINED) return NO_FILL;
  if (length !== size) throw new InvalidDataError(`fill value has ${length} bytes, an element ${size}`);
  return cursor.take(length).slice();
}

function isDefined(cursor: Cursor): boolean {
  const version = cursor.u8();
  switch (version) {
    case 1:
      cursor.skip(3);
      return true;
    case 2:
      cursor.skip(2);
      return cursor.u8() !== 0;
    case 3:
      return (cursor.u8() & 0x20) !== 0;
    default:
      throw new InvalidDataError(`fill value has version ${version}; 1 to 3 exist`);
  }
}
