/** Where the object at an address lies: references hold the address alone. */

import { InvalidDataError, isAnnarrowError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import type { GroupLinks } from "./link.js";
import type { ObjectPath, Objects } from "./objects.js";

/** The least that a link takes in a file. */
const LINK_BYTES = 12;

/** Goes through the file's groups once, as far as the addresses it is asked for. */
export class ObjectSearch {
  readonly #objects: Objects;
  readonly #maxLinks: number;
  readonly #found: Map<number, ObjectPath>;
  readonly #places: ObjectPath[];
  #visited = 0;
  #links = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(objects: Objects, fileBytes: number) {
    this.#objects = objects;
    this.#maxLinks = fileBytes / LINK_BYTES;
    this.#found = new Map([[objects.root.address, objects.root]]);
    this.#places = [objects.root];
  }

  /** As `find`, of what was found before; else null. */
  known(address: number): ObjectPath | null {
    return this.#found.get(address) ?? null;
  }

  /**
   * The shortest path over hard links to the object; null where there is none.
   * @throws {InvalidDataError} where the file has more links than bytes for them.
   */
  async find(address: number, options?: ReadOptions): Promise<ObjectPath | null> {
    const search = this.#last.then(() => this.#search(address, options));
    this.#last = search.catch(() => undefined);
    return await search;
  }

  async #search(address: number, options?: ReadOptions): Promise<ObjectPath | null> {
    while (!this.#found.has(address) && this.#visited < this.#places.length) {
      options?.signal?.throwIfAborted();
      const place = this.#places[this.#visited];
      const links = await this.#linksOf(place, options);
      this.#visited++;
      const names = links?.names() ?? [];
      this.#links += names.length;
      if (this.#links > this.#maxLinks) {
        throw new InvalidDataError(`the file's groups have ${this.#links} links and more, too many for its size`);
      }
      for (const name of names) {
        const link = links?.find(name);
        if (link?.kind !== "hard" || this.#found.has(link.address)) continue;
        const found = { address: link.address, hardPath: `${place.hardPath}/${name}` };
        this.#found.set(link.address, found);
        this.#places.push(found);
      }
    }
    return this.#found.get(address) ?? null;
  }

  /** A damaged group hides what is in it, not what is elsewhere. */
  async #linksOf(place: ObjectPath, options?: ReadOptions): Promise<GroupLinks | null> {
    try {
      return await this.#objects.links(place, options);
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      return null;
    }
  }
}
