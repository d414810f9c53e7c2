import { computeCrc32 } from "../../kernels/checksums/checksums.js";
import { inflate } from "../../kernels/codecs/deflate/inflate.js";
import { InvalidDataError, runWithLocation, UnsupportedError } from "../../model/errors.js";
import { checkMaxBytes, clampRange, isTooDeep, KeyTree, splitPrefixSegments } from "./key.js";
import type { ByteSource, GetOptions, KeyValueSource, ReadOptions, SourcePlan } from "./source.js";
import { readZipDirectory, type ZipEntry } from "./zip-directory.js";

// Caches whole values. Each value is read once, and shared by all reads of its parts.

interface Kept {
  readonly size: number;
  readonly bytes: Promise<Uint8Array>;
}

/** Caches the most recently used values, up to a total number of bytes. A larger value is cached alone. */
class KeptValues<K> {
  readonly #most: number;
  /** Cached values, most recently used last. */
  readonly #kept = new Map<K, Kept>();
  #size = 0;

  /** @param most maximum bytes of all cached values. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Returns the value, whose size is `size` bytes, calling `read` if it is not cached. Callers share the read, so none
   * of them can cancel it.
   */
  get(key: K, size: number, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known.bytes;
    }
    for (const oldest of this.#kept.keys()) {
      if (this.#size + size <= this.#most) break;
      this.#forget(oldest);
    }
    const value = { size, bytes: read() };
    this.#kept.set(key, value);
    this.#size += size;
    value.bytes.catch(() => {
      if (this.#kept.get(key) === value) this.#forget(key);
    });
    return value.bytes;
  }

  clear(): void {
    this.#kept.clear();
    this.#size = 0;
  }

  #forget(key: K): void {
    this.#size -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }
}

const LOCAL_SIZE = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;
/** Maximum compression ratio of deflate: 1032. */
const MAX_DEFLATE_RATIO = 1032;

/**
 * Size in bytes of the largest stored entry that is read completely even if only a part is requested, since the CRC-32
 * covers all bytes.
 */
const MAX_CHECKED = 4 * 2 ** 20;
/** Maximum total size of cached entries in bytes. A single deflated entry may be larger. */
const MAX_KEPT = 4 * MAX_CHECKED;
const MAX_INFLATED = 256 * 2 ** 20;

/** Root documents, one of which is in every store. */
const ROOT_DOCUMENTS = ["zarr.json", ".zgroup", ".zarray", "manifest.json", "version"];

/**
 * Opens a store in a zip archive. The CRC-32 of an entry is checked whenever the whole entry is read: by `get`, and by
 * `getRanges` for entries that are deflated or have up to 4 MiB. If entries share a name, the last one in the central
 * directory is used. Directories, `__MACOSX/`, and names that are absolute, contain `..`, or have more than 256
 * segments are omitted. If all entries are below one folder that contains the store, that folder is the root. Closing
 * the store closes `source`.
 * @throws {InvalidDataError} if `source` is not a zip archive, or if its directory is truncated.
 */
export function zipSource(source: ByteSource): Promise<KeyValueSource> {
  return runWithLocation({ source: source.name }, async () => {
    const entries = new Map<string, ZipEntry>();
    for (const entry of await readZipDirectory(source)) {
      if (isKey(entry.name)) entries.set(entry.name, entry);
    }
    return new ZipStore(source, belowTopFolder(entries));
  });
}

function isKey(name: string): boolean {
  if (isTooDeep(name)) return false;
  const segments = name.split("/");
  return segments[0] !== "__MACOSX" && segments.every((part) => part !== "" && part !== "." && part !== "..");
}

function belowTopFolder(entries: Map<string, ZipEntry>): Map<string, ZipEntry> {
  if (ROOT_DOCUMENTS.some((name) => entries.has(name))) return entries;
  const [first] = entries.keys();
  const top = first?.slice(0, first.indexOf("/") + 1);
  if (!top || !ROOT_DOCUMENTS.some((name) => entries.has(top + name))) return entries;
  const below = new Map<string, ZipEntry>();
  for (const [name, entry] of entries) {
    if (!name.startsWith(top)) return entries;
    below.set(name.slice(top.length), entry);
  }
  return below;
}

class ZipStore implements KeyValueSource {
  readonly kind = "keys";
  readonly name: string;
  readonly plan?: SourcePlan;
  readonly #source: ByteSource;
  readonly #entries: Map<string, ZipEntry>;
  readonly #tree: KeyTree;
  /** Positions at which the data of entries begin, for entries whose local header has been read. */
  readonly #starts = new Map<ZipEntry, number>();
  readonly #kept = new KeptValues<ZipEntry>(MAX_KEPT);

  constructor(source: ByteSource, entries: Map<string, ZipEntry>) {
    this.name = source.name;
    const { plan } = source;
    if (plan?.kind === "file" || plan?.kind === "blob") this.plan = { kind: "zip", file: plan };
    this.#source = source;
    this.#entries = entries;
    this.#tree = new KeyTree(entries.keys());
  }

  async get(key: string, options?: GetOptions): Promise<Uint8Array | undefined> {
    const entry = this.#entries.get(key);
    return (
      entry &&
      runWithLocation({ source: this.name }, async () => {
        checkMaxBytes(key, entry.size, options);
        return this.#whole(entry, options);
      })
    );
  }

  async getRanges(key: string, ranges: Parameters<KeyValueSource["getRanges"]>[1], options?: ReadOptions) {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    return runWithLocation({ source: this.name }, async () => {
      if (entry.method !== STORED || entry.size <= MAX_CHECKED) {
        const bytes = await this.#keptWhole(entry);
        options?.signal?.throwIfAborted();
        return ranges.map((range) => {
          const { start, end } = clampRange(range, bytes.length);
          return bytes.subarray(start, end);
        });
      }
      const data = await this.#dataStart(entry, options);
      const parts: Uint8Array[] = [];
      for (const range of ranges) {
        const { start, end } = clampRange(range, entry.size);
        parts.push(await this.#source.read(data + start, data + end, options));
      }
      return parts;
    });
  }

  async size(key: string): Promise<number | undefined> {
    return this.#entries.get(key)?.size;
  }

  async list(prefix: string): Promise<string[]> {
    return this.#tree.children(splitPrefixSegments(prefix).join("/"));
  }

  async checkUnchanged(): Promise<void> {
    await this.#source.checkUnchanged?.();
  }

  close(): Promise<void> {
    this.#kept.clear();
    return this.#source.close();
  }

  /**
   * Reads a whole entry and caches it, so that the entry is inflated and checked only once even if many of its parts
   * are read.
   */
  async #keptWhole(entry: ZipEntry): Promise<Uint8Array> {
    checkEntry(entry);
    const { name, size } = entry;
    if (size > MAX_INFLATED) {
      throw new UnsupportedError(
        `zip entry ${name}: parts of ${size} deflated bytes, of at most ${MAX_INFLATED}; store it instead (zip -0)`,
      );
    }
    return this.#kept.get(entry, size, () => this.#whole(entry));
  }

  async #whole(entry: ZipEntry, options?: ReadOptions): Promise<Uint8Array> {
    const start = await this.#dataStart(entry, options);
    const stored = await this.#source.read(start, start + entry.compressed, options);
    const bytes = entry.method === STORED ? stored : await inflate(stored, "raw", { bytes: entry.size, exact: true });
    const crc = computeCrc32(bytes);
    if (crc !== entry.crc) {
      throw new InvalidDataError(
        `zip entry ${entry.name}: CRC-32 is ${crc.toString(16)}, the archive says ${entry.crc.toString(16)}`,
      );
    }
    return bytes;
  }

  /**
   * Returns the position of an entry's data, which follow the name and the extra field in the local header. The lengths
   * of these two fields differ from those in the central directory.
   */
  async #dataStart(entry: ZipEntry, options?: ReadOptions): Promise<number> {
    const known = this.#starts.get(entry);
    if (known !== undefined) return known;
    checkEntry(entry);
    const { size } = this.#source;
    if (entry.header + LOCAL_SIZE > size) {
      throw new InvalidDataError(`zip entry ${entry.name}: header at byte ${entry.header} of ${size}`);
    }
    const header = await this.#source.read(entry.header, entry.header + LOCAL_SIZE, options);
    const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
    if (view.getUint32(0, true) !== LOCAL_SIGNATURE) {
      throw new InvalidDataError(`zip entry ${entry.name}: no local header at byte ${entry.header}`);
    }
    const start = entry.header + LOCAL_SIZE + view.getUint16(26, true) + view.getUint16(28, true);
    const end = start + entry.compressed;
    if (end > size) throw new InvalidDataError(`zip entry ${entry.name}: ends at byte ${end} of ${size}`);
    if (end > entry.limit) {
      throw new InvalidDataError(`zip entry ${entry.name}: ends at byte ${end}, another begins at byte ${entry.limit}`);
    }
    this.#starts.set(entry, start);
    return start;
  }
}

function checkEntry(entry: ZipEntry): void {
  const { name, method, compressed, size } = entry;
  if (entry.encrypted) throw new UnsupportedError(`zip entry ${name} is encrypted`);
  if (method !== STORED && method !== DEFLATED) {
    throw new UnsupportedError(`zip entry ${name}: compression method ${method}, only 0 and 8 can be read`);
  }
  const most = method === STORED ? compressed : compressed * MAX_DEFLATE_RATIO;
  if (size > most || (method === STORED && size !== compressed)) {
    throw new InvalidDataError(`zip entry ${name}: ${size} bytes cannot come from ${compressed}`);
  }
}
