/** Finds a file's objects by address, and the links to them. */

import type { ReadOptions } from "../../../io/sources/source.js";
import { InvalidDataError, isAnnarrowError, NotFoundError, UnsupportedError } from "../../../model/errors.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import { FOLLOW_ADVICE } from "../followed/followed-files.js";
import { isGroup, readGroupLinks } from "./group-links.js";
import type { GroupLinks } from "./link.js";
import { readObjectHeader } from "./object-header.js";

export interface ObjectPath {
  /** The address of the object header. */
  readonly address: number;
  /** The absolute path through hard links, which the library uses to find the object; `""` is the root. */
  readonly hardPath: string;
}

/** Where a chain of links ends: at an object in this file, or at a path in another file. */
export type LinkEnd =
  | { readonly kind: "here"; readonly place: ObjectPath }
  /** `rest`: the names after the link, relative to the link's target. */
  | { readonly kind: "elsewhere"; readonly file: string; readonly path: string; readonly rest: readonly string[] };

/** Maximum length of a chain of soft links, as in libhdf5. */
const MAX_SOFT_LINKS = 16;

/** Maximum number of recently used groups whose links are cached, and maximum number of cached links in total. */
const GROUPS_KEPT = 256;
const LINKS_KEPT = 2 ** 18;

/** Maximum number of path segments, which is more than any real link has. */
const MAX_SEGMENTS = 128;

export class Objects {
  readonly root: ObjectPath;
  readonly #file: Hdf5File;
  readonly #links = new Map<number, GroupLinks>();
  #kept = 0;
  /** The groups whose links are being read. */
  readonly #coming = new Map<number, Promise<GroupLinks | null>>();

  constructor(file: Hdf5File, root: number) {
    this.#file = file;
    this.root = { address: root, hardPath: "" };
  }

  /**
   * Reads the links of a group. Returns null if the object is not a group.
   * @throws {InvalidDataError} if the group is damaged.
   */
  async links({ address }: ObjectPath, options?: ReadOptions): Promise<GroupLinks | null> {
    const known = this.#known(address);
    if (known !== null) return known;
    // Simultaneous calls wait for a single read. If it fails, each call makes its own attempt, because possibly only
    // the first call was cancelled.
    const coming = await this.#coming.get(address)?.catch(() => undefined);
    if (coming !== undefined) return coming;
    const links = this.#readLinks(address, options);
    const forget = () => {
      if (this.#coming.get(address) === links) this.#coming.delete(address);
    };
    this.#coming.set(address, links);
    links.then(forget, forget);
    return await links;
  }

  async #readLinks(address: number, options?: ReadOptions): Promise<GroupLinks | null> {
    const messages = await readObjectHeader(this.#file, address, options);
    if (!isGroup(messages)) return null;
    const links = await readGroupLinks(this.#file, messages, options);
    this.#keep(address, links);
    return links;
  }

  /**
   * Returns the known links, and marks the group as recently used. A large group therefore stays in the cache while its
   * children, which are also groups, come and go.
   */
  #known(address: number): GroupLinks | null {
    const known = this.#links.get(address);
    if (known === undefined) return null;
    this.#links.delete(address);
    this.#links.set(address, known);
    return known;
  }

  /** Caches the links of a group. The cache retains at least one group, no matter how many links that group has. */
  #keep(address: number, links: GroupLinks): void {
    this.#kept += links.names().length;
    for (const [oldest, other] of this.#links) {
      const isLast = this.#links.size === 1;
      if (isLast || (this.#links.size < GROUPS_KEPT && this.#kept <= LINKS_KEPT)) break;
      this.#links.delete(oldest);
      this.#kept -= other.names().length;
    }
    this.#links.set(address, links);
  }

  /**
   * Follows links one segment at a time.
   * @param name one segment, in `group`.
   * @throws {NotFoundError} if there is no such link, or the link leads nowhere.
   * @throws {UnsupportedError} for a link into another file.
   */
  async follow(group: ObjectPath, name: string, options?: ReadOptions): Promise<ObjectPath> {
    const end = await this.resolve(group, name, options);
    if (end.kind === "here") return end.place;
    throw new UnsupportedError(`external link to ${end.path} in the file ${end.file}; ${FOLLOW_ADVICE}`);
  }

  /** Follows links like `follow`, up to a link that leads out of the file. */
  async resolve(group: ObjectPath, name: string, options?: ReadOptions): Promise<LinkEnd> {
    if (name === "" || name === "." || name.includes("/") || name.includes("\0")) throw notFound(name);
    let at = group;
    let followed = 0;
    let passed = 0;
    // The next segment is the last entry of the stack, because paths in a file may be long and removing the last entry
    // is fast.
    const segments = [name];
    for (let segment = segments.pop(); segment !== undefined; segment = segments.pop()) {
      if (++passed > MAX_SEGMENTS) throw new NotFoundError(`link over more than ${MAX_SEGMENTS} names`);
      const links = this.#known(at.address) ?? (await this.links(at, options));
      const link = links?.find(segment) ?? null;
      const hardPath = `${at.hardPath}/${segment}`;
      if (link === null) {
        throw followed === 0 ? notFound(name) : new NotFoundError(`link leads to ${hardPath}, which is not there`);
      }
      switch (link.kind) {
        case "hard":
          at = { address: link.address, hardPath };
          break;
        case "soft":
          if (++followed > MAX_SOFT_LINKS) throw new NotFoundError(`more than ${MAX_SOFT_LINKS} soft links in a row`);
          if (link.target.startsWith("/")) at = this.root;
          for (const next of splitPath(link.target).reverse()) segments.push(next);
          break;
        case "external":
          return { kind: "elsewhere", file: link.file, path: link.path, rest: segments.reverse() };
        case "user-defined":
          throw new UnsupportedError(`user-defined link of type ${link.type}`);
        default:
          link satisfies never;
      }
    }
    return { kind: "here", place: at };
  }
}

/** Splits a path into segments. HDF5 ignores empty segments and `.`, and treats `..` as an ordinary name. */
export function splitPath(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

function notFound(name: string): NotFoundError {
  return new NotFoundError(`no child of the name ${JSON.stringify(name)}`);
}

/** Minimum size of a link in a file, in bytes. */
const LINK_BYTES = 12;

/** Visits each of the file's groups once, and only as far as the requested addresses require. */
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

  /** Returns the path if an earlier search found the address; otherwise null. */
  known(address: number): ObjectPath | null {
    return this.#found.get(address) ?? null;
  }

  /**
   * Finds the shortest path to the object through hard links; null if there is no such path.
   * @throws {InvalidDataError} if the file has more links than could fit into its bytes.
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

  /** Reads the links of a group. If a group is damaged, only its own contents are hidden. */
  async #linksOf(place: ObjectPath, options?: ReadOptions): Promise<GroupLinks | null> {
    try {
      return await this.#objects.links(place, options);
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      return null;
    }
  }
}
