import { UnsupportedError } from "../../../model/errors.js";
import type { StoredType } from "../../../model/stored.js";
import {
  createFixedType,
  createUnsupportedType,
  type DataType,
  record,
  VARIABLE_BYTES,
  VARIABLE_TEXT,
} from "./data-type.js";
import { createFixedTextType, createFixedUtf32Type, findNumberType, parseTimeUnit } from "./data-type-v2.js";
import { parseFill } from "./fill-value.js";
import type { Json, JsonObject } from "./json.js";
import {
  checkJsonInteger,
  checkJsonIntegers,
  checkJsonList,
  checkJsonObject,
  checkJsonText,
  createUnexpectedError,
  isList,
  isObject,
  show,
} from "./json-fields.js";
import {
  type ArrayMetadata,
  type CodecSpec,
  checkFormat,
  checkGrid,
  type GroupMetadata,
  type KeyEncoding,
  parseZarrAttributes,
} from "./metadata.js";

const ARRAY_KEYS = new Set([
  "zarr_format",
  "node_type",
  "shape",
  "data_type",
  "chunk_grid",
  "chunk_key_encoding",
  "fill_value",
  "codecs",
  "attributes",
  "storage_transformers",
  "dimension_names",
]);
const GROUP_KEYS = new Set(["zarr_format", "node_type", "attributes", "consolidated_metadata"]);

/** The content of a `zarr.json`. */
export type NodeV3 =
  | { readonly kind: "array"; readonly metadata: ArrayMetadata }
  | { readonly kind: "group"; readonly metadata: GroupMetadata; readonly consolidated: JsonObject | undefined };

/**
 * Parses a `zarr.json` (Zarr v3 core, sections "Array metadata" and "Group metadata").
 * @throws {UnsupportedError} for another version or chunk grid, or for an extension that must be understood.
 * @throws {InvalidDataError} if a field is missing or wrong.
 */
export function parseNodeV3(document: Json): NodeV3 {
  const node = checkJsonObject(document, "zarr.json");
  checkFormat(node, 3);
  const attributes = parseZarrAttributes(
    node.attributes === undefined ? {} : checkJsonObject(node.attributes, "attributes"),
  );
  switch (node.node_type) {
    case "array":
      return { kind: "array", metadata: { ...parseArray(node), attributes } };
    case "group":
      checkExtensions(node, GROUP_KEYS);
      return { kind: "group", metadata: { attributes }, consolidated: consolidatedOf(node.consolidated_metadata) };
    default:
      throw createUnexpectedError(node.node_type, "node_type", '"array" or "group"');
  }
}

/** Returns the group's consolidated metadata by path, which zarr-python writes into the root group. */
function consolidatedOf(value: Json | undefined): JsonObject | undefined {
  if (!isObject(value) || value.kind !== "inline" || !isObject(value.metadata)) return undefined;
  return value.metadata;
}

function parseArray(node: JsonObject): Omit<ArrayMetadata, "attributes"> {
  checkExtensions(node, ARRAY_KEYS);
  if (
    node.storage_transformers !== undefined &&
    checkJsonList(node.storage_transformers, "storage_transformers").length > 0
  ) {
    throw new UnsupportedError(`storage transformers ${show(node.storage_transformers)}`);
  }
  const shape = checkJsonIntegers(node.shape, "shape", 0);
  const grid = named(node.chunk_grid, "chunk_grid");
  if (grid.name !== "regular") {
    const remedy = grid.name === "rectilinear" ? ", chunks of several shapes: write it with chunks of one shape" : "";
    throw new UnsupportedError(`chunk grid ${show(grid.name)}${remedy}`);
  }
  const chunkShape = checkJsonIntegers(grid.configuration.chunk_shape, "chunk_shape", 1);
  checkGrid(shape, chunkShape);
  const type = parseDataType(node.data_type);
  if (node.fill_value === undefined || node.fill_value === null) {
    throw createUnexpectedError(node.fill_value, "fill_value", "a value");
  }
  return {
    version: 3,
    shape,
    chunkShape,
    type,
    fill: parseFill(node.fill_value, type, 3),
    codecs: parseCodecs(node.codecs),
    keys: parseKeyEncoding(node.chunk_key_encoding),
    ...dimensionNames(node.dimension_names, shape.length),
  };
}

function dimensionNames(value: Json | undefined, rank: number): Pick<ArrayMetadata, "dimensionNames"> {
  if (value === undefined || value === null) return {};
  const names = checkJsonList(value, "dimension_names").map((name) =>
    name === null ? null : checkJsonText(name, "a name of a dimension"),
  );
  if (names.length !== rank) throw createUnexpectedError(value, "dimension_names", `${rank} names`);
  return { dimensionNames: names };
}

/** Parses a list of codecs, including those inside `sharding_indexed`. */
export function parseCodecs(value: Json | undefined): CodecSpec[] {
  return checkJsonList(value, "codecs").map((codec) => named(codec, "a codec"));
}

/**
 * Parses `{"name": …, "configuration": {…}}`. The configuration may be omitted; then the name may also stand alone,
 * without an object around it.
 */
function named(value: Json | undefined, what: string): CodecSpec {
  if (typeof value === "string") return { name: value, configuration: {} };
  const { name, configuration } = checkJsonObject(value, what);
  return {
    name: checkJsonText(name, `name of ${what}`),
    configuration: configuration === undefined ? {} : checkJsonObject(configuration, `configuration of ${what}`),
  };
}

function parseKeyEncoding(value: Json | undefined): KeyEncoding {
  const { name, configuration } = named(value, "chunk_key_encoding");
  if (name !== "default" && name !== "v2") throw new UnsupportedError(`chunk key encoding ${show(name)}`);
  const separator = configuration.separator ?? (name === "default" ? "/" : ".");
  if (separator !== "/" && separator !== ".") throw createUnexpectedError(separator, "separator", '"/" or "."');
  return { name, separator };
}

function checkExtensions(node: JsonObject, known: ReadonlySet<string>): void {
  for (const [key, value] of Object.entries(node)) {
    if (known.has(key) || (isObject(value) && value.must_understand === false)) continue;
    throw new UnsupportedError(`extension ${show(key)}, which a reader must understand`);
  }
}

/**
 * Returns the shape of the smallest part of an array that is decoded separately. In a sharded array this is an inner
 * chunk.
 */
export function getInnerChunkShape({ codecs, chunkShape }: ArrayMetadata): readonly number[] {
  const [codec] = codecs;
  if (codecs.length !== 1 || codec.name !== "sharding_indexed") return chunkShape;
  return checkJsonIntegers(codec.configuration.chunk_shape, "chunk_shape of sharding_indexed", 1);
}

const MAX_WIDTH = 2 ** 30;

/** The supported data types of Zarr v3 by name. */
const TYPES: Readonly<Record<string, (configuration: JsonObject) => DataType>> = {
  bool: () => createFixedType({ kind: "bool" }, 1, 1),
  string: () => VARIABLE_TEXT,
  variable_length_bytes: () => VARIABLE_BYTES,
  bytes: () => VARIABLE_BYTES,
  null_terminated_bytes: (configuration) => createFixedTextType(lengthOf(configuration)),
  fixed_length_utf32: (configuration) => {
    const width = lengthOf(configuration);
    if (width % 4 !== 0) throw createUnexpectedError(width, "length_bytes of fixed_length_utf32", "a multiple of 4");
    return createFixedUtf32Type(width);
  },
  raw_bytes: (configuration) => rawBytes(lengthOf(configuration)),
  "numpy.datetime64": (configuration) => time("datetime", configuration),
  "numpy.timedelta64": (configuration) => time("timedelta", configuration),
  struct: ({ fields }) => structOf(fields),
  structured: ({ fields }) => structOf(fields),
};

/**
 * Parses a v3 `data_type`: a string, or an object with `name` and `configuration`. An unknown name results in an
 * unsupported type.
 * @throws {InvalidDataError} if it is neither of these, or if its configuration is wrong.
 */
function parseDataType(value: Json | undefined): DataType {
  const name =
    typeof value === "string" ? value : checkJsonText(checkJsonObject(value, "data_type").name, "name of data_type");
  const configuration = typeof value === "string" ? undefined : checkJsonObject(value, "data_type").configuration;
  const make = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (make !== undefined)
    return make(configuration === undefined ? {} : checkJsonObject(configuration, "configuration"));
  const number = /^(int|uint|float|complex)(\d{1,3})$/.exec(name);
  if (number !== null) return findNumberType(name[0], Number(number[2]), false) ?? createUnsupportedType(name);
  const raw = /^r(\d{1,9})$/.exec(name);
  if (raw !== null && Number(raw[1]) % 8 === 0) return rawBytes(Number(raw[1]) / 8);
  return createUnsupportedType(typeof value === "string" ? name : show(value));
}

function lengthOf(configuration: JsonObject): number {
  const length = checkJsonInteger(configuration.length_bytes, "length_bytes", 0);
  if (length > MAX_WIDTH) throw createUnexpectedError(length, "length_bytes", `at most ${MAX_WIDTH}`);
  return length;
}

function rawBytes(width: number): DataType {
  return createFixedType({ kind: "bytes", width }, width, 1);
}

function time(kind: "datetime" | "timedelta", configuration: JsonObject): DataType {
  const unit = parseTimeUnit(checkJsonText(configuration.unit, "unit"));
  const step =
    configuration.scale_factor === undefined ? 1 : checkJsonInteger(configuration.scale_factor, "scale_factor", 1);
  const stored: StoredType = { kind, unit, step };
  return createFixedType(stored, 8, 8);
}

/** Creates a record type. Fields are objects (`struct`) or pairs (`structured`, the older form). */
function structOf(fields: Json | undefined): DataType {
  return record(
    checkJsonList(fields, "fields").map((field) => {
      const [name, type] = isList(field)
        ? field
        : [checkJsonObject(field, "a field").name, checkJsonObject(field, "a field").data_type];
      return { name: checkJsonText(name, "name of a field"), type: parseDataType(type), shape: [] };
    }),
  );
}
