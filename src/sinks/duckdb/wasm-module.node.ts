/**
 * Compiles the DuckDB-WASM module so that it starts quickly. For extensions, the module exports all of its 75,000
 * functions and variables. V8 creates an object for each export, and the program registers these objects in tables.
 */

import { setFlagsFromString } from "node:v8";

/**
 * Compiles the module. Modifies `bytes`, which must not be shared memory.
 * @param extensions whether the database may load extensions, which need all exports.
 */
export function compileDuckDBModule(bytes: Buffer, extensions: boolean): WebAssembly.Module {
  if (!extensions) hideExports(bytes);
  const budget = TIERING_BUDGETS.get(process.versions.node.split(".")[0]);
  if (budget === undefined) return compiled(bytes);
  try {
    setFlagsFromString("--wasm-lazy-validation");
    setFlagsFromString(`--wasm-tiering-budget=${LONG_BUDGET}`);
    return compiled(bytes);
  } finally {
    setFlagsFromString("--no-wasm-lazy-validation");
    setFlagsFromString(`--wasm-tiering-budget=${budget}`);
  }
}

function compiled({ buffer, byteOffset, length }: Buffer): WebAssembly.Module {
  if (!(buffer instanceof ArrayBuffer)) throw new TypeError("a module is not compiled from shared memory");
  return new WebAssembly.Module(new Uint8Array(buffer, byteOffset, length));
}

/** Callback of Emscripten that instantiates the module. */
type Instantiate = (
  imports: WebAssembly.Imports,
  success: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
) => unknown;

/**
 * Makes the database use the compiled module, which calls the functions of `runtime`.
 * @param mostMemory maximum bytes of the instance's memory.
 */
export function startWith(database: object, runtime: object, module: WebAssembly.Module, mostMemory: number): void {
  const instantiate: Instantiate = (imports, success) => {
    limitMemory(imports.env.memory, mostMemory);
    Reflect.set(globalThis, "DUCKDB_RUNTIME", { ...runtime });
    void WebAssembly.instantiate(module, imports).then((instance) => success(instance, module));
    return [];
  };
  Reflect.set(database, "instantiateWasm", instantiate);
}

/** Limits how far a memory can grow. Emscripten's allocator treats the error as the end of available memory. */
function limitMemory(memory: unknown, most: number): void {
  if (!(memory instanceof WebAssembly.Memory)) throw new TypeError("DuckDB-WASM imports no memory");
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE > most) throw new RangeError(`a memory of more than ${most} bytes`);
    return grow(pages);
  };
}

const PAGE = 65536;

/**
 * Amount of execution after which V8 recompiles a function with optimization, for the Node versions that support the
 * flag. For an unknown flag, V8 prints a message.
 */
const TIERING_BUDGETS: ReadonlyMap<string, number> = new Map([
  ["20", 1_800_000],
  ["22", 13_000_000],
  ["24", 13_000_000],
]);

/** Tiering budget that is not reached during the start, but that loops in long statements reach within a second. */
const LONG_BUDGET = 130_000_000;

const IMPORTS = 2;
const EXPORTS = 7;
/** Id of a custom section, which engines skip. */
const CUSTOM = 0;

/** Matches the mangled names of C++ functions, and the addresses of wrapped functions. */
const FOR_EXTENSIONS = /^(?:_Z|orig\$)/;

/**
 * Removes the exports that only extensions need, in place. This shortens the export section, and a custom section fills
 * the gap.
 */
function hideExports(bytes: Buffer): void {
  const sections = new Map(sectionsOf(bytes).map((section) => [section.id, section]));
  const [imports, exports] = [sections.get(IMPORTS), sections.get(EXPORTS)];
  if (imports === undefined || exports === undefined) return;
  const kept = exportsBut(bytes, exports, globalOffsets(bytes, imports));
  const body = Buffer.concat([paddedNumber(kept.length), ...kept]);
  const section = Buffer.concat([Buffer.of(EXPORTS), paddedNumber(body.length), body]);
  const rest = exports.end - exports.start - section.length;
  // The skipped section consists of an id, a length in five bytes, an empty name, and padding.
  const head = 7;
  if (rest < head) return;
  section.copy(bytes, exports.start);
  Buffer.concat([Buffer.of(CUSTOM), paddedNumber(rest - head + 1), Buffer.of(0)]).copy(bytes, exports.end - rest);
}

interface Section {
  readonly id: number;
  /** Start of the section. `contents` and `end` are the start and end of its contents. */
  readonly start: number;
  readonly contents: number;
  readonly end: number;
}

function sectionsOf(bytes: Buffer): Section[] {
  const sections: Section[] = [];
  const at = new Reader(bytes, 8);
  while (at.position < bytes.length) {
    const start = at.position;
    const id = at.byte();
    const size = at.number();
    const contents = at.position;
    at.position += size;
    sections.push({ id, start, contents, end: at.position });
  }
  return sections;
}

/**
 * Returns the exports whose addresses the module itself imports. The module's bytes up to the end of the imports are a
 * valid module.
 */
function globalOffsets(bytes: Buffer, { end }: Section): ReadonlySet<string> {
  const imports = WebAssembly.Module.imports(compiled(bytes.subarray(0, end)));
  return new Set(imports.filter(({ module }) => module.startsWith("GOT.")).map(({ name }) => name));
}

/** Returns the bytes of each export that the program needs. */
function exportsBut(bytes: Buffer, { contents }: Section, needed: ReadonlySet<string>): Buffer[] {
  const kept: Buffer[] = [];
  const at = new Reader(bytes, contents);
  for (let left = at.number(); left > 0; left--) {
    const start = at.position;
    const name = at.text();
    at.byte();
    at.number();
    if (needed.has(name) || !FOR_EXTENSIONS.test(name)) kept.push(Buffer.from(bytes.subarray(start, at.position)));
  }
  return kept;
}

/** Encodes a number in five bytes, whatever its size. */
function paddedNumber(value: number): Buffer {
  return Buffer.from([0, 7, 14, 21, 28].map((shift) => ((value >>> shift) & 127) | (shift < 28 ? 128 : 0)));
}

/** Reads WebAssembly's binary format: https://webassembly.github.io/spec/core/binary */
class Reader {
  readonly #bytes: Buffer;
  position: number;

  constructor(bytes: Buffer, position: number) {
    this.#bytes = bytes;
    this.position = position;
  }

  byte(): number {
    return this.#bytes[this.position++];
  }

  /** Reads an unsigned LEB128 number. */
  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (!(byte & 128)) return value;
    }
  }

  text(): string {
    const length = this.number();
    this.position += length;
    return this.#bytes.toString("latin1", this.position - length, this.position);
  }
}
