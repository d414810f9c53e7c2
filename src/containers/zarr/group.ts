import { locateError, NotFoundError, UnsupportedError } from "../../model/errors.js";
import type { KeyValueSource, ReadOptions } from "../../sources/source.js";
import { byCodePoint } from "../tree/code-point-order.js";
import type { AttributeValue, Group, Node } from "../tree/container.js";
import { zarrArray } from "./array.js";
import { type Hierarchy, join } from "./metadata/hierarchy.js";
import type { GroupMetadata } from "./metadata/metadata.js";

/** A group of a store; children are looked up when they are asked for. */
export class ZarrGroup implements Group {
  readonly kind = "group";
  readonly path: string;
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly #source: KeyValueSource;
  readonly #hierarchy: Hierarchy;

  /** @param id what it is, whatever links led there. */
  constructor(source: KeyValueSource, hierarchy: Hierarchy, path: string, metadata: GroupMetadata, id: string = path) {
    this.path = path;
    this.id = id;
    this.attributes = metadata.attributes;
    this.#source = source;
    this.#hierarchy = hierarchy;
  }

  /** @throws {UnsupportedError} where the store can neither be listed nor has consolidated metadata. */
  async keys(options?: ReadOptions): Promise<readonly string[]> {
    try {
      const names = await this.#hierarchy.children(this.path, options);
      if (names === null) {
        throw new UnsupportedError(
          "the store cannot be listed and has no consolidated metadata; write it with zarr.consolidate_metadata",
        );
      }
      return names.sort(byCodePoint);
    } catch (error) {
      throw locateError(error, { source: this.#source.name, element: this.path });
    }
  }

  async open(name: string, options?: ReadOptions): Promise<Node> {
    const path = join(this.path, name);
    try {
      const node = isName(name) ? await this.#hierarchy.node(path, options) : undefined;
      if (node === undefined) throw new NotFoundError("no such array or group");
      const id = (await this.#source.identity?.(path)) ?? path;
      switch (node.kind) {
        case "array":
          return zarrArray(this.#source, path, node.metadata, id);
        case "group":
          return new ZarrGroup(this.#source, this.#hierarchy, path, node.metadata, id);
        default:
          return node satisfies never;
      }
    } catch (error) {
      throw locateError(error, { source: this.#source.name, element: path });
    }
  }
}

/** What no key can have as a segment names no child. */
function isName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("/") && !name.includes("\0");
}
