import type { KeyValueTarget } from "../../../io/targets/target.js";
import { UnsupportedElementError } from "../../../model/errors.js";
import type {
  ArrayDescription,
  ArrayWriter,
  ChunkCopy,
  ChunkEncoder,
  ContainerWriter,
  CopyChunks,
  GroupWriter,
  WrittenAttribute,
  WrittenAttributes,
} from "../../tree/container-writer.js";
import { joinPath } from "../metadata/metadata.js";
import { ZarrArrayWriter } from "./array-writer.js";
import { toZarrAttributeJson, toZarrAttributesJson } from "./attribute-json.js";
import { findCopiedEncoding, ZarrChunkCopy } from "./chunk-copy.js";
import type { ZarrCompression } from "./compression.js";
import { encodeJsonText, type JsonValue, RawJson } from "./json-text.js";
import { ChunkBuffers, runInStore, type Store, type StoreNode, setDocuments, WriteQueue } from "./store.js";
import type { RecordName } from "./zarr-type.js";

export interface ZarrWriterOptions {
  readonly version: 2 | 3;
  readonly encoder: ChunkEncoder;
  readonly compression: ZarrCompression;
  /** Whether v3 arrays are sharded, except scalars and records; true by default. */
  readonly sharding?: boolean;
  /** The name of v3 records; `struct` by default. */
  readonly records?: RecordName;
}

/**
 * Writes a Zarr store with consolidated metadata. An array's chunks are stored while it is filled, and its documents
 * when it is closed. The groups' documents are stored when the container is closed, with the root's documents last. A
 * store without them is incomplete.
 *
 * Chunks that contain only the fill value (zero, or the empty text) are omitted, as in zarr-python. Chunks of 64-bit
 * integers in version 2 are always written, because older readers fail if they are missing.
 */
export function createZarr(target: KeyValueTarget, options: ZarrWriterOptions): ContainerWriter {
  const { version, encoder, compression, sharding = true, records = "struct" } = options;
  return new ZarrWriter({
    target,
    dialect: { version, records },
    compression,
    sharding: version === 3 && sharding,
    queue: new WriteQueue(() => encoder.window),
    memory: new ChunkBuffers(encoder),
    nodes: [],
    open: 0,
    isClosed: false,
  });
}

class ZarrWriter implements ContainerWriter {
  readonly #store: Store;
  readonly #root: ZarrGroupWriter;

  constructor(store: Store) {
    this.#store = store;
    this.#root = new ZarrGroupWriter(store, "");
  }

  get kind(): "zarr2" | "zarr3" {
    return this.#store.dialect.version === 2 ? "zarr2" : "zarr3";
  }

  get name(): string {
    return this.#store.target.name;
  }

  get root(): GroupWriter {
    return this.#root;
  }

  async close(): Promise<void> {
    const store = this.#store;
    if (store.isClosed) throw new TypeError(`${this.name} is closed`);
    const open = store.nodes.find((node) => node.documents() === null);
    if (open !== undefined) throw new TypeError(`${open.path} is not closed`);
    store.isClosed = true;
    await store.queue.drain();
    // Children come before their parents.
    for (const node of store.nodes.toReversed()) {
      if (!(node instanceof ZarrGroupWriter)) continue;
      await runInStore(store, node.path, () => setDocuments(store, node.path, node.documents()));
    }
    await runInStore(store, "", () => this.#setRoot());
  }

  async #setRoot(): Promise<void> {
    const store = this.#store;
    if (store.dialect.version === 3) {
      const metadata = new Map<string, JsonValue>();
      for (const node of store.nodes) {
        for (const text of node.documents()?.values() ?? []) metadata.set(node.path, new RawJson(text));
      }
      const consolidated = { kind: "inline", must_understand: false, metadata };
      return setDocuments(store, "", this.#root.documents(consolidated));
    }
    const metadata = new Map<string, JsonValue>();
    for (const { path, documents } of [this.#root, ...store.nodes].map((node) => ({
      path: node.path,
      documents: node.documents(),
    }))) {
      for (const [name, text] of documents ?? []) metadata.set(joinPath(path, name), new RawJson(text));
    }
    const consolidated = encodeJsonText({ zarr_consolidated_format: 1, metadata });
    return setDocuments(store, "", new Map([[".zmetadata", consolidated], ...this.#root.documents()]));
  }
}

/**
 * Writes a group. The group's documents are stored when the container is closed, since attributes may be added until
 * then.
 */
class ZarrGroupWriter implements GroupWriter, StoreNode {
  readonly path: string;
  readonly #store: Store;
  readonly #attributes: Map<string, JsonValue>;
  readonly #names: NodeNames;

  constructor(store: Store, path: string, attributes?: WrittenAttributes) {
    this.path = path;
    this.#store = store;
    this.#attributes = toZarrAttributesJson(attributes);
    this.#names = new NodeNames(path, store.target);
  }

  attribute(name: string, attribute: WrittenAttribute): void {
    this.#checkOpen();
    this.#attributes.set(name, toZarrAttributeJson(name, attribute));
  }

  group(name: string, attributes?: WrittenAttributes): Promise<GroupWriter> {
    return this.#child(name, (path) => new ZarrGroupWriter(this.#store, path, attributes));
  }

  array(name: string, description: ArrayDescription): Promise<ArrayWriter> {
    return this.#child(name, (path) => new ZarrArrayWriter(this.#store, path, description));
  }

  async keep(name: string, array: ChunkCopy): Promise<CopyChunks | null> {
    const kept = await runInStore(this.#store, joinPath(this.path, name), () => findCopiedEncoding(this.#store, array));
    if (kept === null) return null;
    return async (progress) => {
      const node = await this.#child(name, (path) => new ZarrChunkCopy(this.#store, path, array, kept));
      await node.copy(progress);
    };
  }

  async #child<T extends StoreNode>(name: string, make: (path: string) => T): Promise<T> {
    this.#checkOpen();
    await runInStore(this.#store, this.path, () => this.#names.add(name));
    const path = joinPath(this.path, name);
    const node = await runInStore(this.#store, path, () => make(path));
    this.#store.nodes.push(node);
    return node;
  }

  #checkOpen(): void {
    if (this.#store.isClosed) throw new TypeError(`${this.#store.target.name} is closed`);
  }

  /** @param consolidated v3's consolidated metadata, for the root. */
  documents(consolidated?: JsonValue): ReadonlyMap<string, string> {
    if (this.#store.dialect.version === 2) {
      const group: [string, string] = [".zgroup", encodeJsonText({ zarr_format: 2 })];
      return new Map(this.#attributes.size === 0 ? [group] : [[".zattrs", encodeJsonText(this.#attributes)], group]);
    }
    const group = { attributes: this.#attributes, zarr_format: 3, node_type: "group" };
    const all = consolidated === undefined ? group : { ...group, consolidated_metadata: consolidated };
    return new Map([["zarr.json", encodeJsonText(all)]]);
  }
}

const DOCUMENTS: ReadonlySet<string> = new Set(["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"]);

/** The names of Windows devices, with any file extension. */
const DEVICES = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;
/** The characters that Windows forbids in file names, in addition to control characters. */
const FORBIDDEN = '<>:"|?*';

/**
 * The target's rules for names. `caseSensitive` is false if names become folders in a file system that may ignore case.
 */
type NameRules = Pick<KeyValueTarget, "caseSensitive" | "allowsColon">;

/** Checks that the names of a group's children are valid and distinct. */
class NodeNames {
  readonly #path: string;
  readonly #target: NameRules;
  /** The names in use, by the form in which a file system compares them. */
  readonly #taken = new Map<string, string>();

  constructor(path: string, target: NameRules) {
    this.#path = path;
    this.#target = target;
  }

  /**
   * Registers a name.
   * @throws {InvalidInputError} for a name that is not allowed in the store, or that equals or collides with an earlier
   * name.
   */
  add(name: string): void {
    const { caseSensitive, allowsColon = false } = this.#target;
    const problem = storeProblem(name) ?? (caseSensitive ? undefined : folderProblem(name, allowsColon));
    if (problem !== undefined) throw this.#error(`the name ${JSON.stringify(name)} ${problem}`);
    const key = caseSensitive ? name : folded(name);
    const other = this.#taken.get(key);
    if (other === name) throw this.#error(`${JSON.stringify(name)} is there already`);
    if (other !== undefined) {
      throw this.#error(
        `the names ${JSON.stringify(other)} and ${JSON.stringify(name)} are one on file systems that ignore case; ${REMEDY}`,
      );
    }
    this.#taken.set(key, name);
  }

  #error(problem: string): UnsupportedElementError {
    return new UnsupportedElementError(problem, { element: this.#path });
  }
}

const REMEDY = "a zip store (.zarr.zip) holds them";

/** Returns the reason why a name is not allowed in any store. */
function storeProblem(name: string): string | undefined {
  if (name === "") return "is empty";
  if (/^\.+$/.test(name)) return "has nothing but dots";
  if (name.includes("/")) return 'has a "/", which separates names in Zarr';
  if (name.includes("\\")) return 'has a "\\", which zarr-python takes for "/"';
  if (name.includes("\0")) return "has a NUL";
  if (/\p{Surrogate}/u.test(name)) return "has half a character, which UTF-8 has no form for";
  if (DOCUMENTS.has(name)) return "is that of a Zarr document";
  return undefined;
}

/**
 * Returns the reason why a name is not allowed for folders on some operating system, although other stores allow it.
 */
function folderProblem(name: string, allowsColon: boolean): string | undefined {
  const found = [...name].filter((character) => character < " " || FORBIDDEN.includes(character));
  const forbidden = found.find((character) => character !== ":" || !allowsColon);
  if (forbidden !== undefined) return `has ${JSON.stringify(forbidden)}, which Windows allows in no name; ${REMEDY}`;
  if (/[. ]$/.test(name)) return `ends in a dot or space, which Windows drops; ${REMEDY}`;
  if (DEVICES.test(name)) return `is that of a device on Windows; ${REMEDY}`;
  if (DOCUMENTS.has(folded(name))) return "is that of a Zarr document on file systems that ignore case";
  return undefined;
}

/**
 * Returns a form that is equal for all names that a file system confuses: APFS treats ß like ss, and NTFS treats ſ like
 * s.
 */
function folded(name: string): string {
  return name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC");
}
