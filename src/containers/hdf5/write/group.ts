/** Groups during writing. Their members are known at the end. */

import { InvalidInputError } from "../../../model/errors.js";
import type {
  ArrayDescription,
  ArrayWriter,
  CopyChunks,
  GroupWriter,
  KeptArray,
  WrittenAttribute,
  WrittenAttributes,
} from "../../tree/container-writer.js";
import { type FileState, locatedError } from "./data/file-state.js";
import { DatasetWriter } from "./dataset.js";
import { foundChunks, writeKept } from "./kept-dataset.js";
import { Attributes } from "./messages/attributes.js";
import { reserveHeader } from "./messages/object-header.js";
import { type Member, type WrittenGroup, writeGroup } from "./symbol-table.js";
import { linkNameBytes } from "./values/checks.js";

type Child = Hdf5GroupWriter | DatasetWriter | WrittenDataset;

/** The address of a complete array. Nothing else of it is kept, since there may be millions. */
class WrittenDataset {
  readonly header: number;

  constructor(header: number) {
    this.header = header;
  }

  address(): number {
    return this.header;
  }
}

interface Entry {
  readonly name: Uint8Array;
  child: Child;
}

export class Hdf5GroupWriter implements GroupWriter {
  readonly path: string;
  readonly #file: FileState;
  readonly #attributes: Attributes;
  readonly #children = new Map<string, Entry>();
  #reserved: number | null = null;
  #written: WrittenGroup | null = null;

  constructor(file: FileState, path: string, attributes?: WrittenAttributes) {
    this.path = path;
    this.#file = file;
    this.#attributes = new Attributes(file.heap, attributes);
  }

  attribute(name: string, attribute: WrittenAttribute): void {
    try {
      this.#checkOpen();
      this.#attributes.add(name, attribute);
    } catch (error) {
      throw locatedError(this.#file.name, this.path, error);
    }
  }

  group(name: string, attributes?: WrittenAttributes): Promise<GroupWriter> {
    return this.#add(name, (path) => new Hdf5GroupWriter(this.#file, path, attributes));
  }

  array(name: string, description: ArrayDescription): Promise<ArrayWriter> {
    return this.#add(name, (path) => {
      const complete = (header: number) => {
        const entry = this.#children.get(name);
        if (entry !== undefined) entry.child = new WrittenDataset(header);
      };
      return new DatasetWriter(this.#file, path, description, complete);
    });
  }

  async keep(name: string, array: KeptArray): Promise<CopyChunks | null> {
    const found = await foundChunks(array);
    if (found === null) return null;
    return (progress) =>
      this.#file.turns.take(async () => {
        const path = this.path === "" ? name : `${this.path}/${name}`;
        try {
          const bytes = this.#newName(name);
          const header = await writeKept(this.#file, array, found, progress);
          this.#children.set(name, { name: bytes, child: new WrittenDataset(header) });
        } catch (error) {
          throw locatedError(this.#file.name, path, error);
        }
      });
  }

  child(name: string): Child | undefined {
    return this.#children.get(name)?.child;
  }

  get groups(): readonly Hdf5GroupWriter[] {
    return [...this.#children.values()].flatMap(({ child }) => (child instanceof Hdf5GroupWriter ? [child] : []));
  }

  /** Returns the header's address, which is fixed from now on. */
  address(): number {
    this.#reserved ??= this.#written?.header ?? reserveHeader(this.#file.space);
    return this.#reserved;
  }

  /** Writes the group's members. The groups below must have been written. */
  async write(): Promise<WrittenGroup> {
    const members: Member[] = [];
    for (const { name, child } of this.#children.values()) {
      if (child instanceof DatasetWriter) throw new TypeError(`${child.path}: the array is not written`);
      members.push({ name, object: child instanceof Hdf5GroupWriter ? child.#result() : child.header });
    }
    try {
      this.#written = await writeGroup(this.#file.space, members, this.#attributes.encoded, this.#reserved);
      return this.#written;
    } catch (error) {
      throw locatedError(this.#file.name, this.path, error);
    }
  }

  #result(): WrittenGroup {
    if (this.#written === null) throw new TypeError(`${this.path}: the group is not written`);
    return this.#written;
  }

  #add<C extends Hdf5GroupWriter | DatasetWriter>(name: string, make: (path: string) => C): Promise<C> {
    return this.#file.turns.take(async () => {
      const path = this.path === "" ? name : `${this.path}/${name}`;
      try {
        const bytes = this.#newName(name);
        const child = make(path);
        this.#children.set(name, { name: bytes, child });
        await this.#file.space.settle();
        return child;
      } catch (error) {
        throw locatedError(this.#file.name, path, error);
      }
    });
  }

  /** Returns the bytes of a name for a new child. */
  #newName(name: string): Uint8Array {
    this.#checkOpen();
    const bytes = linkNameBytes(name);
    if (this.#children.has(name)) throw new InvalidInputError("there is an element of that name already");
    return bytes;
  }

  #checkOpen(): void {
    if (this.#file.closed) throw new TypeError("the file is closed: nothing can be added");
  }
}
