/** The filters that a chunk went through. Source: HDF5 File Format Specification, IV.A.2.l. */

import { InvalidDataError } from "../../../model/errors.js";
import { Cursor } from "../bytes/cursor.js";

export interface Filter {
  readonly id: number;
  readonly values: readonly number[];
}

const MAX_FILTERS = 32;

/** Names of HDF5's own filters and of registered ones (registry of filter plugins, The HDF Group), for errors. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [1, "deflate"],
  [2, "shuffle"],
  [3, "fletcher32"],
  [4, "szip"],
  [5, "nbit"],
  [6, "scaleoffset"],
  [305, "lzo"],
  [307, "bzip2"],
  [32000, "lzf"],
  [32001, "blosc"],
  [32002, "mafisc"],
  [32003, "snappy"],
  [32004, "lz4"],
  [32007, "apax"],
  [32008, "bitshuffle"],
  [32013, "zfp"],
  [32015, "zstd"],
  [32016, "b3d"],
  [32017, "sz"],
  [32018, "fcidecomp"],
  [32019, "jpeg"],
  [32022, "granular bitround"],
  [32023, "sz3"],
  [32026, "blosc2"],
]);

/** "32000 (lzf)", or the number alone. */
export function filterName(id: number): string {
  const name = NAMES.get(id);
  return name === undefined ? String(id) : `${id} (${name})`;
}

/** The filters in the order of writing. @throws {InvalidDataError} where the message is cut off. */
export function parseFilterPipeline(body: Uint8Array): Filter[] {
  const cursor = new Cursor(body, "filter pipeline");
  const version = cursor.u8();
  const count = cursor.u8();
  if (version < 1 || version > 2) throw new InvalidDataError(`filter pipeline has version ${version}; 1 and 2 exist`);
  if (count > MAX_FILTERS) throw new InvalidDataError(`${count} filters; at most ${MAX_FILTERS} are legal`);
  if (version === 1) cursor.skip(6);
  const filters: Filter[] = [];
  for (let i = 0; i < count; i++) {
    const id = cursor.u16();
    const nameLength = version === 1 || id >= 256 ? cursor.u16() : 0;
    cursor.skip(2);
    const valueCount = cursor.u16();
    cursor.skip(nameLength);
    const values: number[] = [];
    for (let k = 0; k < valueCount; k++) values.push(cursor.u32());
    if (version === 1 && valueCount % 2 === 1) cursor.skip(4);
    filters.push({ id, values });
  }
  return filters;
}
