import { UnsupportedError } from "../../../model/errors.js";
import { type StoredType, viewAsNumbers } from "../../../model/stored.js";
import { createUnsupportedType, type DataType, VARIABLE_BYTES, VARIABLE_TEXT } from "./data-type.js";
import { parseNumpyType } from "./data-type-v2.js";
import { parseFill } from "./fill-value.js";
import type { Json, JsonObject } from "./json.js";
import {
  checkJsonIntegers,
  checkJsonList,
  checkJsonObject,
  checkJsonText,
  createUnexpectedError,
  show,
} from "./json-fields.js";
import {
  type ArrayMetadata,
  type CodecSpec,
  checkFormat,
  checkGrid,
  type GroupMetadata,
  parseZarrAttributes,
} from "./metadata.js";

/** The data types that object filters produce from `|O`. Each key is also the name of the codec. */
const OBJECT_FILTERS: Readonly<Record<string, DataType>> = {
  "vlen-utf8": VARIABLE_TEXT,
  json2: VARIABLE_TEXT,
  categorize: VARIABLE_TEXT,
  "vlen-bytes": VARIABLE_BYTES,
};

/**
 * Parses a `.zarray` with its `.zattrs` into the normal form. `order` F becomes a transposition, the object filter
 * becomes the codec that converts items to bytes, and the other filters and the compressor follow it. Filters work on
 * the bytes of the flattened chunk, in the byte order that their own types specify.
 * @throws {UnsupportedError} for another version.
 * @throws {InvalidDataError} if a field is missing or wrong.
 */
export function parseArrayV2(document: Json, attributes: Json | undefined): ArrayMetadata {
  const array = checkJsonObject(document, ".zarray");
  checkFormat(array, 2);
  const shape = checkJsonIntegers(array.shape, "shape", 0);
  const chunkShape = checkJsonIntegers(array.chunks, "chunks", 1);
  checkGrid(shape, chunkShape);
  const filters = array.filters === null || array.filters === undefined ? [] : checkJsonList(array.filters, "filters");
  const { type, maker, rest } = splitFilters(array.dtype, filters.map(codecOf));
  const codecs: CodecSpec[] = [];
  if (orderOf(array) === "F" && shape.length > 1) {
    codecs.push({ name: "transpose", configuration: { order: shape.map((_, axis) => shape.length - 1 - axis) } });
  }
  codecs.push(maker, ...rest);
  if (array.compressor !== null && array.compressor !== undefined) codecs.push(codecOf(array.compressor));
  const fill = parseFill(array.fill_value, type, 2);
  const isFilled = array.fill_value !== null && array.fill_value !== undefined;
  return {
    version: 2,
    shape,
    chunkShape,
    type,
    fill,
    fillValue: isFilled && isPlainNumber(type.stored) ? viewAsNumbers(type.stored, fill.slice())[0] : undefined,
    codecs,
    keys: { name: "v2", separator: separatorOf(array) },
    attributes: parseAttributesV2(attributes),
  };
}

/** Whether a value is a single number that fits into a typed array unchanged. */
function isPlainNumber(type: StoredType): boolean {
  return type.kind === "int" || (type.kind === "float" && type.bits > 16);
}

/** Parses a `.zgroup` with its `.zattrs`. Either document may be missing. */
export function parseGroupV2(document: Json | undefined, attributes: Json | undefined): GroupMetadata {
  if (document !== undefined) checkFormat(checkJsonObject(document, ".zgroup"), 2);
  return { attributes: parseAttributesV2(attributes) };
}

function parseAttributesV2(attributes: Json | undefined) {
  return parseZarrAttributes(attributes === undefined ? {} : checkJsonObject(attributes, ".zattrs"));
}

/** Determines the data type, the codec that converts values to bytes, and the filters that follow it. */
function splitFilters(
  dtype: Json | undefined,
  filters: readonly CodecSpec[],
): { type: DataType; maker: CodecSpec; rest: readonly CodecSpec[] } {
  const [first, ...rest] = filters;
  const known = first !== undefined && Object.hasOwn(OBJECT_FILTERS, first.name);
  if (known && (dtype === "|O" || first.name === "categorize")) {
    return { type: OBJECT_FILTERS[first.name], maker: first, rest };
  }
  const bytes = { name: "bytes", configuration: { endian: "type" } };
  if (dtype === "|O") {
    // Without an object filter, the chunks are Python pickles. Pickles are programs, so they are never decoded.
    const name = first === undefined ? "|O without an object codec" : `|O through ${first.name}`;
    return { type: createUnsupportedType(name), maker: bytes, rest: filters };
  }
  return { type: parseNumpyType(dtype), maker: bytes, rest: filters };
}

function codecOf(value: Json): CodecSpec {
  const { id, ...configuration } = checkJsonObject(value, "a filter or compressor");
  return { name: checkJsonText(id, "id of a filter or compressor"), configuration };
}

function orderOf(array: JsonObject): "C" | "F" {
  if (array.order !== "C" && array.order !== "F") throw createUnexpectedError(array.order, "order", '"C" or "F"');
  return array.order;
}

function separatorOf(array: JsonObject): "/" | "." {
  const separator = array.dimension_separator ?? ".";
  if (separator !== "." && separator !== "/") throw new UnsupportedError(`dimension_separator ${show(separator)}`);
  return separator;
}
