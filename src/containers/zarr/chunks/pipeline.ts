import { type ByteCodec, MAX_CHUNK_BYTES } from "../../../kernels/codecs/bounds/byte-codec.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import type { ChunkCodec, ChunkSpec, CodecModule, ObjectCodec, ZarrChunk } from "../codecs/codec.js";
import { isKnownCodec, loadCodec } from "../codecs/registry.js";
import { getItemSize, listItemWords, swapWords, type WordRange } from "../metadata/data-type.js";
import type { JsonObject } from "../metadata/json.js";
import { checkJsonIntegers, show } from "../metadata/json-fields.js";
import type { CodecSpec } from "../metadata/metadata.js";
import { computeStrides } from "./box.js";
import { openSharding, SHARDING } from "./sharding.js";

/** Reverses one array-to-array codec on a chunk. */
type ArrayStep = (chunk: ZarrChunk) => Promise<ZarrChunk>;

/**
 * Opens the codec that consists of all these specifications. Everything is loaded and checked here, before any chunk is
 * read.
 * @throws {UnsupportedError} if a codec is unknown or the type cannot be read, with the name of either.
 * @throws {InvalidDataError} if the codecs cannot be combined in this order, or if a configuration is wrong.
 */
export async function openPipeline(specs: readonly CodecSpec[], spec: ChunkSpec): Promise<ChunkCodec> {
  if (spec.type.stored.kind === "unsupported") throw new UnsupportedError(`data type ${spec.type.stored.name}`);
  if (!specs.every(({ name }) => isKnownCodec(name))) {
    return (await import("./zarrita-chunk.js")).createZarritaCodec(specs, spec);
  }
  const modules = await Promise.all(specs.map(load));
  const maker = modules.findIndex((module) => module.kind === "maker" || module.kind === "objects");
  if (maker < 0) throw new InvalidDataError(`no codec makes bytes: ${names(specs)}`);

  const front = arraySteps(specs.slice(0, maker), modules.slice(0, maker), spec);
  const made = await openMaker(specs[maker], modules[maker], { ...spec, ...front });
  const behind = modules.slice(maker + 1).map((module, i): ByteCodec => {
    const { name, configuration } = specs[maker + 1 + i];
    if (module.kind !== "bytes") throw new InvalidDataError(`codec ${name} cannot follow ${specs[maker].name}`);
    return module.make(configuration, front.size);
  });

  // Sizes before each byte codec, then after the last one. They are null from the first codec whose output size depends
  // on the values.
  const sizes: (number | null)[] = [made.encodedSize];
  for (const codec of behind) {
    const size = sizes[sizes.length - 1];
    sizes.push(size === null ? null : codec.encodedSize(size));
  }

  /** Reverses the bytes-to-bytes codecs, and writes to `target` if the last step supports it. */
  async function undoBehind(encoded: Uint8Array, target?: Uint8Array): Promise<Uint8Array> {
    let bytes = encoded;
    for (let i = behind.length - 1; i >= 0; i--) {
      const known = sizes[i];
      const size = known === null ? { bytes: MAX_CHUNK_BYTES, exact: false } : { bytes: known, exact: true };
      const result = behind[i].decode(bytes, size, i === 0 && known === target?.length ? target : undefined);
      bytes = result instanceof Promise ? await result : result;
      if (known === null ? bytes.length > size.bytes : bytes.length !== known) {
        throw new InvalidDataError(`${bytes.length} bytes, expected ${size.bytes}`);
      }
    }
    return bytes;
  }

  const { decodeInto } = made;
  return {
    encodedSize: sizes[sizes.length - 1],
    async decode(encoded) {
      let chunk = await made.decode(await undoBehind(encoded));
      for (const step of front.steps) chunk = await step(chunk);
      return chunk;
    },
    decodeInto:
      decodeInto === undefined || front.steps.length > 0
        ? undefined
        : async (encoded, target) => decodeInto(await undoBehind(encoded, target), target),
  };
}

type Module = CodecModule | { readonly kind: "maker" } | { readonly kind: "transpose" };

async function load({ name }: CodecSpec): Promise<Module> {
  if (name === "bytes" || name === SHARDING) return { kind: "maker" };
  if (name === "transpose") return { kind: "transpose" };
  const module = await loadCodec(name);
  if (module === null) throw new UnsupportedError(`codec ${show(name)} is not known`);
  return module;
}

/**
 * Opens the array-to-array codecs: returns the steps that reverse them, last one first, and the form of the chunks that
 * the array-to-bytes codec receives.
 */
function arraySteps(specs: readonly CodecSpec[], modules: readonly Module[], spec: ChunkSpec) {
  const steps: ArrayStep[] = [];
  let shape = spec.shape;
  let size = getItemSize(spec.type.layout);
  let words: WordRange[] | undefined;
  specs.forEach(({ name, configuration }, i) => {
    const module = modules[i];
    if (module.kind === "transpose") {
      const order = parseOrder(configuration, shape.length);
      const [outer, item] = [shape, size];
      steps.unshift(async (chunk) => untransposeChunk(chunk, outer, order, item));
      shape = order.map((axis) => outer[axis]);
      return;
    }
    if (module.kind !== "bytes" || size === null) {
      throw new InvalidDataError(`codec ${name} cannot stand in front of the one that makes bytes`);
    }
    // zarr-python swaps the bytes of such values only once, and cannot read its own output.
    const big = Object.values(configuration).find((value) => typeof value === "string" && value.startsWith(">"));
    if (big !== undefined) throw new UnsupportedError(`codec ${name} of big-endian values (${show(big)})`);
    const codec = module.make(configuration, size);
    const decoded = countElements(shape) * size;
    const encoded = codec.encodedSize(decoded);
    if (encoded === null) throw new InvalidDataError(`codec ${name} cannot stand in front of the one that makes bytes`);
    steps.unshift(async (chunk) => {
      const bytes = await codec.decode(chunk.bytes, { bytes: decoded, exact: true });
      if (bytes.length !== decoded)
        throw new InvalidDataError(`${name} gives ${bytes.length} bytes, expected ${decoded}`);
      return { kind: "fixed", bytes };
    });
    // From here on, a chunk is a row of values of another width, or a row of bytes.
    size = codec.encodedWord ?? 1;
    words = size === 1 ? [] : [{ offset: 0, size, count: 1 }];
    shape = encoded === countElements(shape) * size ? shape : [encoded / size];
  });
  return { steps, shape, size, words };
}

type Front = ChunkSpec & ReturnType<typeof arraySteps>;

async function openMaker(spec: CodecSpec, module: Module, front: Front): Promise<ChunkCodec> {
  if (module.kind === "objects") return objectMaker(spec.name, module.make(spec.configuration), front);
  if (spec.name === SHARDING) {
    if (front.words !== undefined) throw new UnsupportedError("filters in front of sharding_indexed");
    return openSharding(spec.configuration, front, openPipeline);
  }
  return bytesMaker(spec, front);
}

function objectMaker(name: string, codec: ObjectCodec, front: Front): ChunkCodec {
  if (front.type.layout.kind !== "variable") {
    throw new UnsupportedError(`codec ${name} for values of type ${front.type.stored.kind}`);
  }
  const count = countElements(front.shape);
  return { encodedSize: null, decode: async (bytes) => codec.decode(bytes, count) };
}

/**
 * Creates `bytes`, which stores items unchanged. `endian` "type" stands for v2, in which each number type has its own
 * byte order.
 */
function bytesMaker({ configuration }: CodecSpec, front: Front): ChunkCodec {
  const { size, type } = front;
  if (size === null) throw new InvalidDataError(`codec bytes for values of type ${type.stored.kind}`);
  const words = front.words ?? listItemWords(type.layout, false);
  const { endian } = configuration;
  let swapped: readonly WordRange[] = [];
  if (endian === "big") swapped = words;
  else if (endian === "type") swapped = listItemWords(type.layout, true);
  else if (endian !== "little" && words.length > 0) {
    throw new InvalidDataError(`endian of the codec bytes is ${show(endian)}, expected "little" or "big"`);
  }
  const length = countElements(front.shape) * size;
  return {
    encodedSize: length,
    async decode(bytes) {
      if (bytes.length !== length) throw new InvalidDataError(`${bytes.length} bytes, expected ${length}`);
      if (swapped.length === 0) return { kind: "fixed", bytes };
      // The bytes are copied, because the source's own memory must not be changed.
      const own = new Uint8Array(bytes);
      swapWords(own, size, swapped);
      return { kind: "fixed", bytes: own };
    },
    async decodeInto(bytes, target) {
      if (bytes.length !== length) throw new InvalidDataError(`${bytes.length} bytes, expected ${length}`);
      if (bytes !== target) target.set(bytes);
      swapWords(target, size, swapped);
    },
  };
}

function names(specs: readonly CodecSpec[]): string {
  return specs.map(({ name }) => name).join(", ") || "the list is empty";
}

/**
 * Parses the permutation of a `transpose` codec: axis i of the stored chunk is axis `order[i]` of the array. Older
 * documents contain the letters C and F instead.
 * @throws {InvalidDataError} if it is not a permutation of `rank` axes.
 */
function parseOrder(configuration: JsonObject, rank: number): number[] {
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  if (configuration.order === "C") return axes;
  if (configuration.order === "F") return axes.reverse();
  const order = checkJsonIntegers(configuration.order, "order of transpose", 0);
  if (order.length !== rank || axes.some((axis) => !order.includes(axis))) {
    throw new InvalidDataError(`order ${show(configuration.order)} is no permutation of ${rank} axes`);
  }
  return order;
}

/**
 * Rearranges into C order the items of a chunk of shape `shape`, which is stored with its axes in `order`.
 * @param size the size of an item in bytes; null for items of variable size.
 */
function untransposeChunk(
  chunk: ZarrChunk,
  shape: readonly number[],
  order: readonly number[],
  size: number | null,
): ZarrChunk {
  if (order.every((axis, i) => axis === i)) return chunk;
  const stored = computeStrides(order.map((axis) => shape[axis]));
  const steps = new Array<number>(shape.length);
  order.forEach((axis, i) => {
    steps[axis] = stored[i];
  });
  return chunk.kind === "fixed"
    ? { kind: "fixed", bytes: gatherFixed(chunk.bytes, shape, steps, size ?? 1) }
    : gatherVariable(chunk, shape, steps);
}

/** Calls `visit` with the first source position of each row (along the last axis) of `shape`, in C order. */
function eachRow(shape: readonly number[], steps: readonly number[], visit: (source: number) => void): void {
  if (shape.some((size) => size === 0)) return;
  const position = new Array<number>(shape.length - 1).fill(0);
  let source = 0;
  for (;;) {
    visit(source);
    let axis = position.length - 1;
    for (; axis >= 0; axis--) {
      source += steps[axis];
      if (++position[axis] < shape[axis]) break;
      source -= shape[axis] * steps[axis];
      position[axis] = 0;
    }
    if (axis < 0) return;
  }
}

function gatherFixed(bytes: Uint8Array, shape: readonly number[], steps: readonly number[], size: number): Uint8Array {
  const out = new Uint8Array(bytes.length);
  const columns = shape[shape.length - 1];
  const step = steps[steps.length - 1];
  let at = 0;
  if (size === 4) {
    const source = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
    const from = new Uint32Array(source.buffer, source.byteOffset, source.length / 4);
    const to = new Uint32Array(out.buffer);
    eachRow(shape, steps, (start) => {
      for (let i = 0, p = start; i < columns; i++, p += step) to[at++] = from[p];
    });
    return out;
  }
  eachRow(shape, steps, (start) => {
    for (let i = 0, p = start * size; i < columns; i++, p += step * size) {
      for (let byte = 0; byte < size; byte++) out[at++] = bytes[p + byte];
    }
  });
  return out;
}

function gatherVariable(
  chunk: ZarrChunk & { kind: "variable" },
  shape: readonly number[],
  steps: readonly number[],
): ZarrChunk {
  const offsets = new Int32Array(chunk.offsets.length);
  const bytes = new Uint8Array(chunk.offsets[chunk.offsets.length - 1]);
  const columns = shape[shape.length - 1];
  const step = steps[steps.length - 1];
  let at = 0;
  eachRow(shape, steps, (start) => {
    for (let i = 0, p = start; i < columns; i++, p += step) {
      bytes.set(chunk.bytes.subarray(chunk.offsets[p], chunk.offsets[p + 1]), offsets[at]);
      offsets[at + 1] = offsets[at] + chunk.offsets[p + 1] - chunk.offsets[p];
      at++;
    }
  });
  return { kind: "variable", offsets, bytes };
}
