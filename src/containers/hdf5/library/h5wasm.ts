/**
 * The adapter for h5wasm, and the only module that knows about it. It uses h5wasm's low-level module rather than its
 * classes, because these return uninitialised memory if a read fails. h5wasm comes in two builds: the universal build
 * has a file system in memory, and the build for Node opens files in place.
 */

import type { ready } from "h5wasm";
import { InvalidDataError, MissingDependencyError, UnsupportedError } from "../../../model/errors.js";
import type { Hdf5Library, Hyperslab, LibraryFile, UseMemory } from "./library.js";

/** The filters in h5wasm 0.10: deflate, shuffle, fletcher32, nbit, scaleoffset. It is built without szip. */
const FILTERS: ReadonlySet<number> = new Set([1, 2, 3, 5, 6]);

/** The part of Emscripten's standard error stream that is replaced. */
interface ErrorStream {
  flags: number;
  seekable: boolean;
  node: unknown;
  stream_ops: unknown;
}

type H5Module = Awaited<typeof ready>;

/** The module, including Emscripten functions that h5wasm's types omit. */
type Module = Omit<H5Module, "FS" | "get_region_data"> & {
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  readonly FS: {
    readonly streams: (ErrorStream | undefined)[];
    writeFile(path: string, data: Uint8Array, options: { canOwn: boolean }): void;
    unlink(path: string): void;
  };
};

/** Imports one of the builds. */
type ImportBuild = () => Promise<{ readonly ready?: Promise<H5Module> }>;

interface Loaded {
  readonly module: Module;
  /** Number of files opened from memory so far. Each new file is named after the next number. */
  files: number;
  /** Text printed since the last call. */
  printed: string;
}

const LEFT_OUT = "only h5wasm reads virtual datasets, which this program was bundled without";

const universal: ImportBuild = () => import("h5wasm");

/** The loaded builds. Each build is started once and serves all files. */
const libraries = new Map<ImportBuild, Promise<Hdf5Library>>();

/** @param build the build to load; by default the universal build. */
export function loadH5wasm(build = universal): Promise<Hdf5Library> {
  const library = libraries.get(build) ?? load(build);
  libraries.set(build, library);
  return library;
}

async function load(importBuild: ImportBuild): Promise<Hdf5Library> {
  const state: { calling: boolean; loaded?: Loaded } = { calling: false };
  const module = await withConsoleBound(state, async () => {
    const build = await importBuild();
    // Bundlers that are told to leave the package out replace it with an empty module.
    if (build.ready === undefined) throw new MissingDependencyError(LEFT_OUT);
    // This is the one cast to the package, which exports more than its types declare.
    return (await build.ready) as unknown as Module;
  });
  const loaded: Loaded = { module, files: 0, printed: "" };
  captureErrorStream(loaded);
  return {
    filters: FILTERS,
    open: (file) => openFile(loaded, state, file),
  };
}

/**
 * Replaces `console.error` while the module loads, because that is when Emscripten stores the function for its last
 * message ("Aborted"). The replacement is silent while this code calls the library, because the error that follows has
 * the same text.
 */
async function withConsoleBound<T>(state: { readonly calling: boolean }, action: () => Promise<T>): Promise<T> {
  const { console: terminal } = globalThis;
  const usual = terminal.error;
  const bound = (...words: unknown[]) => {
    if (!state.calling) usual.apply(terminal, words);
  };
  terminal.error = bound;
  try {
    return await action();
  } finally {
    if (terminal.error === bound) terminal.error = usual;
  }
}

const CHARACTER_DEVICE = 0o020000;
const WRITE_ONLY = 1;

/** Captures standard error, to which libhdf5 prints its error stack. */
function captureErrorStream(loaded: Loaded): void {
  const stream = loaded.module.FS.streams[2];
  if (stream === undefined) return;
  const decoder = new TextDecoder();
  stream.flags = WRITE_ONLY;
  stream.seekable = false;
  stream.node ??= { mode: CHARACTER_DEVICE };
  stream.stream_ops = {
    write(_stream: unknown, heap: Uint8Array | Int8Array, offset: number, length: number): number {
      if (loaded.printed.length < 1 << 16) {
        loaded.printed += decoder.decode(new Uint8Array(heap.buffer, heap.byteOffset + offset, length).slice());
      }
      return length;
    },
  };
}

function openFile(loaded: Loaded, state: { calling: boolean }, file: Uint8Array | string): LibraryFile {
  const { module } = loaded;
  const inMemory = typeof file !== "string";
  const path = inMemory ? `/annarrow-${loaded.files++}.h5` : file;
  if (inMemory) module.FS.writeFile(path, file, { canOwn: true });

  /** Runs one call of the library, and turns its diagnostics and exceptions into an error of this library. */
  function call<T>(action: () => T): T {
    loaded.printed = "";
    state.calling = true;
    try {
      return action();
    } catch (cause) {
      if (cause instanceof InvalidDataError || cause instanceof UnsupportedError) throw cause;
      throw failure(loaded.printed, cause);
    } finally {
      state.calling = false;
    }
  }

  const id = call(() => {
    const opened = module.open(path, module.H5F_ACC_RDONLY, false, -1, -1);
    if (opened < 0n || loaded.printed !== "") throw new Error("cannot be opened");
    return opened;
  });

  function withMemory<T>(
    bytes: number,
    read: (pointer: number) => number,
    reclaim: ((pointer: number) => unknown) | null,
    use: UseMemory<T>,
  ): T {
    if (bytes > module.MAXIMUM_MEMORY) throw outOfMemory(bytes);
    const pointer = call(() => module._malloc(Math.max(1, bytes)));
    if (pointer === 0) throw outOfMemory(bytes);
    try {
      // If the library does not write a value, the memory must contain zeros and null pointers, not values from the
      // previous read.
      module.HEAPU8.fill(0, pointer, pointer + bytes);
      // Only the status indicates success: printed text may just state that an enum's byte order was left unchanged.
      call(() => {
        if (read(pointer) < 0) throw new Error("cannot be read");
      });
      try {
        // The call may have moved the heap, so `HEAPU8` is read again.
        return use(module.HEAPU8.subarray(pointer, pointer + bytes), module.HEAPU8);
      } finally {
        if (reclaim !== null) call(() => reclaim(pointer));
      }
    } finally {
      module._free(pointer);
    }
  }

  return {
    elementSize: (at) => call(() => module.get_dataset_metadata(id, at)).size,
    readDataset(at, { offset, count, bytes }: Hyperslab, variable, use) {
      const scalar = count.length === 0;
      const counts = count.map(BigInt);
      const offsets = offset.map(BigInt);
      const strides = count.map(() => 1n);
      return withMemory(
        bytes,
        (pointer) =>
          scalar
            ? module.get_dataset_data(id, at, null, null, null, BigInt(pointer))
            : module.get_dataset_data(id, at, counts, offsets, strides, BigInt(pointer)),
        !variable
          ? null
          : scalar
            ? (pointer) => module.reclaim_vlen_memory(id, at, "", BigInt(pointer))
            : (pointer) => module.reclaim_vlen_memory_count(id, at, "", BigInt(pointer), counts),
        use,
      );
    },
    virtualSources: (at) =>
      call(() => module.get_dataset_metadata(id, at).virtual_sources ?? []).map(({ file_name, dset_name }) => ({
        file: file_name,
        dataset: dset_name,
      })),
    close() {
      call(() => module.close_file(id));
      if (inMemory) module.FS.unlink(path);
    },
  };
}

/**
 * Creates the error for a failed call, with the reason from libhdf5 or, failing that, the message from WebAssembly or
 * h5wasm.
 */
function failure(printed: string, cause: unknown): InvalidDataError {
  const thrown = cause instanceof Error ? cause.message : String(cause);
  return new InvalidDataError(`libhdf5: ${deepestReason(printed) ?? thrown}`, { cause });
}

function outOfMemory(bytes: number): UnsupportedError {
  return new UnsupportedError(`a read of ${bytes} bytes at once does not fit into h5wasm's memory of 2 GiB`);
}

/**
 * Returns the deepest line of an error stack, which names the cause. The lines above it only say "can't read".
 * @param printed the text that begins with "HDF5-DIAG".
 */
function deepestReason(printed: string): string | null {
  let reason: string | null = null;
  for (const line of printed.split("\n")) {
    const match = /^\s*#\d+: .* in (\w+)\(\): (.*)$/.exec(line);
    if (match !== null) reason = `${match[2]} (${match[1]})`;
  }
  return reason;
}
