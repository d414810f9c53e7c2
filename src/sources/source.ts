/** What containers read from. A source knows nothing of what its bytes mean. */

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /**
   * Is told how many bytes of values the file declares and stores nowhere, before the fill value stands for them. It
   * throws where they are too many: a file of a few bytes can declare any shape.
   */
  readonly onUnwritten?: OnUnwritten;
}

export type OnUnwritten = (bytes: number) => void;

/** Adds up what it is told, and throws what `refusal` makes once that is more than `most` bytes. */
export function unwrittenLimit(most: number, refusal: () => Error): OnUnwritten {
  let unwritten = 0;
  return (bytes) => {
    unwritten += bytes;
    if (unwritten > most) throw refusal();
  };
}

/** How a whole value is read. */
export interface GetOptions extends ReadOptions {
  /** A value of more bytes is an `InvalidDataError`, and is not read. */
  readonly most?: number;
}

/** Random access to one run of bytes: a file, a `Blob`, bytes in memory. */
export interface ByteSource {
  readonly kind: "bytes";
  /** What errors call it: a path, a URL, a `File`'s name, `"bytes"`. */
  readonly name: string;
  readonly size: number;
  /** How a worker opens it again; absent where it cannot, or where that would not pay. */
  readonly plan?: SourcePlan;
  /**
   * Exactly the bytes [start, end). They may be a view of the source's own memory: nobody writes into them.
   * @throws {InvalidDataError} where the source ends earlier.
   */
  read(start: number, end: number, options?: ReadOptions): Promise<Uint8Array>;
  /** As `read`, straight into memory of the caller; absent where that spares nothing. */
  readInto?(start: number, target: Uint8Array, options?: ReadOptions): Promise<void>;
  /**
   * As `readInto` for many pieces, in one call: a promise for each costs as much as reading it. Absent where that spares
   * nothing.
   */
  readPieces?(pieces: Pieces, target: Uint8Array, options?: ReadOptions): Promise<void>;
  /**
   * The bytes [start, end) where the source has kept them since an earlier read, else null. They are to be used at once:
   * who keeps them keeps much more than them in memory. Absent where nothing is kept.
   */
  peek?(start: number, end: number): Uint8Array | null;
  close(): Promise<void>;
}

/** Pieces of equal length that lie at equal distances in a source, and in memory. */
export interface Pieces {
  readonly start: number;
  readonly length: number;
  readonly count: number;
  /** From the begin of one to that of the next, in the source. */
  readonly step: number;
  /** The same in memory, where the first one begins at 0. */
  readonly targetStep: number;
}

/** A part of a value: from `start` to before `end`, or the last `suffix` bytes. */
export type KeyRange = { readonly start: number; readonly end: number } | { readonly suffix: number };

/** Values under keys such as `obs/_index/.zarray`: a directory, a zip, a URL prefix, a `Map`. Keys never start with `/`. */
export interface KeyValueSource {
  readonly kind: "keys";
  readonly name: string;
  /** As that of a `ByteSource`. */
  readonly plan?: SourcePlan;
  /** The whole value, or undefined where the key is absent. It may be a view of the source's own memory. */
  get(key: string, options?: GetOptions): Promise<Uint8Array | undefined>;
  /**
   * Several parts of one value in one call, so that the source can merge neighbours; undefined where the key is absent.
   * A part beyond the value's end comes back shorter.
   */
  getRanges(key: string, ranges: readonly KeyRange[], options?: ReadOptions): Promise<Uint8Array[] | undefined>;
  /**
   * Fills `target` with the value's bytes from `start` on: how many there were, fewer at its end; undefined where the
   * key is absent. Absent where that spares nothing.
   */
  readInto?(key: string, start: number, target: Uint8Array, options?: ReadOptions): Promise<number | undefined>;
  /**
   * What a folder is, whatever links led there: equal for the same one alone. Absent where every prefix is a folder of
   * its own.
   */
  identity?(prefix: string): Promise<string>;
  /** Bytes of the value, or undefined where the key is absent. A source without it must be read to know. */
  size?(key: string, options?: ReadOptions): Promise<number | undefined>;
  /** Names of the direct children below `prefix` (`""` is the root): files and folders; null where listing is impossible (HTTP). */
  list(prefix: string, options?: ReadOptions): Promise<string[] | null>;
  close(): Promise<void>;
}

export type Source = ByteSource | KeyValueSource;

/** Where a source's bytes are, as plain data: what a worker needs to open it again (`source-plan.ts`). */
export type SourcePlan = LocalPlan | BlobPlan | ZipPlan;

/** A file or directory of a file system. */
export interface LocalPlan {
  readonly kind: "file" | "directory";
  readonly path: string;
  /** Of a file when it was opened: another one may stand at its path by now. Of a directory `since`, where it has one. */
  readonly identity: string;
}

interface BlobPlan {
  readonly kind: "blob";
  readonly name: string;
  readonly blob: Blob;
}

/** The entries of a zip that lies in `file`. */
interface ZipPlan {
  readonly kind: "zip";
  readonly file: LocalPlan | BlobPlan;
}
