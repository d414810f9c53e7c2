import type {
  ArrayDescription,
  ArrayWriter,
  GroupWriter,
  WrittenAttribute,
  WrittenAttributes,
} from "../../tree/container-writer.js";
import { join } from "../metadata/hierarchy.js";
import { ZarrArrayWriter } from "./array-writer.js";
import { attributeJson, attributesJson } from "./attribute-json.js";
import { type JsonValue, jsonText } from "./json-text.js";
import { NodeNames } from "./node-names.js";
import { inStore, type Store, type StoreNode } from "./store.js";

/** A group. Its documents are stored when the container is closed: until then attributes may come. */
export class ZarrGroupWriter implements GroupWriter, StoreNode {
  readonly path: string;
  readonly #store: Store;
  readonly #attributes: Map<string, JsonValue>;
  readonly #names: NodeNames;

  constructor(store: Store, path: string, attributes?: WrittenAttributes) {
    this.path = path;
    this.#store = store;
    this.#attributes = attributesJson(attributes);
    this.#names = new NodeNames(path, store.target);
  }

  attribute(name: string, attribute: WrittenAttribute): void {
    this.#checkOpen();
    this.#attributes.set(name, attributeJson(name, attribute));
  }

  group(name: string, attributes?: WrittenAttributes): Promise<GroupWriter> {
    return this.#child(name, (path) => new ZarrGroupWriter(this.#store, path, attributes));
  }

  array(name: string, description: ArrayDescription): Promise<ArrayWriter> {
    return this.#child(name, (path) => new ZarrArrayWriter(this.#store, path, description));
  }

  async #child<T extends StoreNode>(name: string, make: (path: string) => T): Promise<T> {
    this.#checkOpen();
    await inStore(this.#store, this.path, () => this.#names.add(name));
    const path = join(this.path, name);
    const node = await inStore(this.#store, path, () => make(path));
    this.#store.nodes.push(node);
    return node;
  }

  #checkOpen(): void {
    if (this.#store.isClosed) throw new TypeError(`${this.#store.target.name} is closed`);
  }

  /** @param consolidated v3's consolidated metadata, which the root has. */
  documents(consolidated?: JsonValue): ReadonlyMap<string, string> {
    if (this.#store.dialect.version === 2) {
      const group: [string, string] = [".zgroup", jsonText({ zarr_format: 2 })];
      return new Map(this.#attributes.size === 0 ? [group] : [[".zattrs", jsonText(this.#attributes)], group]);
    }
    const group = { attributes: this.#attributes, zarr_format: 3, node_type: "group" };
    const all = consolidated === undefined ? group : { ...group, consolidated_metadata: consolidated };
    return new Map([["zarr.json", jsonText(all)]]);
  }
}
