/**
 * Messages that several objects share, as those of a committed datatype: each object only says where they lie. Source:
 * HDF5 File Format Specification, IV.A.2 (shared messages).
 */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import { Cursor } from "../bytes/cursor.js";
import type { Hdf5File } from "../file/file-bytes.js";
import { readStoredMessages, type StoredMessage } from "./header-blocks.js";

/** Finds what one object shares; a header that is shared several times is read once. */
export class SharedMessages {
  readonly #file: Hdf5File;
  /** Of each header the first message of each type. */
  readonly #headers = new Map<number, ReadonlyMap<number, StoredMessage>>();
  #total = 0;

  constructor(file: Hdf5File) {
    this.#file = file;
  }

  /**
   * @param body what stands in place of the message.
   * @returns the body of the message of that type.
   * @throws {InvalidDataError} where it is not there, or is itself shared.
   * @throws {UnsupportedError} for messages in the shared message heap, which hardly any writer uses.
   */
  async find(type: number, body: Uint8Array, options?: ReadOptions): Promise<Uint8Array> {
    const { lengths, offsets } = this.#file.sizes;
    const cursor = new Cursor(body, "shared message");
    const version = cursor.u8();
    const kind = cursor.u8();
    if (version < 1 || version > 3) throw new InvalidDataError(`shared message has version ${version}; 1 to 3 exist`);
    if (version === 3 && kind !== 2) throw new UnsupportedError("message in HDF5's shared message heap");
    if (version === 1) cursor.skip(6 + lengths);
    const address = cursor.uint(offsets);
    const found = (await this.#header(address, options)).get(type);
    if (found === undefined) throw new InvalidDataError(`shared message of type ${type} is missing at ${address}`);
    if (found.shared) throw new InvalidDataError(`shared message at ${address} is itself shared`);
    return found.body;
  }

  async #header(address: number, options?: ReadOptions): Promise<ReadonlyMap<number, StoredMessage>> {
    const known = this.#headers.get(address);
    if (known !== undefined) return known;
    const byType = new Map<number, StoredMessage>();
    for (const message of await readStoredMessages(this.#file, address, options)) {
      this.#total += message.body.length;
      if (!byType.has(message.type)) byType.set(message.type, message);
    }
    this.#headers.set(address, byType);
    // Headers do not overlap, unless somebody wants to fill the memory.
    if (this.#total > this.#file.size) {
      throw new InvalidDataError(`shared messages of ${this.#total} bytes in a file of ${this.#file.size}`);
    }
    return byType;
  }
}
