/** The shuffle filters, which store the first bytes of all values, then all second bytes, and so on. */

import { InvalidDataError } from "../../../model/errors.js";
import { type ByteCodec, checkIntegerOption, type MakeCodec } from "../bounds/byte-codec.js";
import { unshuffle, unshuffleInto } from "./shuffle.js";

/** HDF5's filter 2. Its client data contains the size of a value. Bytes after the last whole value are not shuffled. */
export const shuffleFilter: MakeCodec = ({ values, itemBytes }) => unshuffled(values[0] ?? itemBytes ?? 1);

/** numcodecs' `shuffle`. Values have four bytes unless the settings specify otherwise. */
export const shuffle: MakeCodec = ({ options: { elementsize } }) =>
  ofWholeValues(elementsize === undefined ? 4 : sizeOf(elementsize));

/** `numcodecs.shuffle` of Zarr v3. The default size is the size of the array's items, as in zarr-python. */
export const shuffleOfItems: MakeCodec = ({ options: { elementsize }, itemBytes }) =>
  ofWholeValues(elementsize == null ? (itemBytes ?? 1) : sizeOf(elementsize));

function sizeOf(elementsize: unknown): number {
  return checkIntegerOption(elementsize, "elementsize", 1);
}

function ofWholeValues(size: number): ByteCodec {
  const { encodedSize, decode } = unshuffled(size);
  return {
    encodedSize,
    decode(bytes, expected, target) {
      if (bytes.length % size !== 0) {
        throw new InvalidDataError(`${bytes.length} bytes are no whole number of values of ${size} bytes`);
      }
      return decode(bytes, expected, target);
    },
  };
}

function unshuffled(size: number): ByteCodec {
  return {
    encodedSize: (decoded) => decoded,
    decode(bytes, _, target) {
      if (target?.length !== bytes.length) return unshuffle(bytes, size);
      unshuffleInto(bytes, target, size);
      return target;
    },
  };
}
