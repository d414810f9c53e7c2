import type { StoredType } from "../../../model/stored.js";
import { type DataType, fixed, record, unsupported, VARIABLE_BYTES, VARIABLE_TEXT } from "./data-type.js";
import { fixedText, fixedUtf32, numberType, timeUnit } from "./data-type-v2.js";
import type { Json, JsonObject } from "./json.js";
import { integerOf, isList, listOf, objectOf, show, textOf, unexpected } from "./json-fields.js";

const MAX_WIDTH = 2 ** 30;

/** The data types of Zarr v3 by their names, as far as they can be read. */
const TYPES: Readonly<Record<string, (configuration: JsonObject) => DataType>> = {
  bool: () => fixed({ kind: "bool" }, 1, 1),
  string: () => VARIABLE_TEXT,
  variable_length_bytes: () => VARIABLE_BYTES,
  bytes: () => VARIABLE_BYTES,
  null_terminated_bytes: (configuration) => fixedText(lengthOf(configuration)),
  fixed_length_utf32: (configuration) => {
    const width = lengthOf(configuration);
    if (width % 4 !== 0) throw unexpected(width, "length_bytes of fixed_length_utf32", "a multiple of 4");
    return fixedUtf32(width);
  },
  raw_bytes: (configuration) => rawBytes(lengthOf(configuration)),
  "numpy.datetime64": (configuration) => time("datetime", configuration),
  "numpy.timedelta64": (configuration) => time("timedelta", configuration),
  struct: ({ fields }) => structOf(fields),
  structured: ({ fields }) => structOf(fields),
};

/**
 * Parses a v3 `data_type`: a text, or an object of `name` and `configuration`. An unknown name gives an unsupported
 * type.
 * @throws {InvalidDataError} where it is neither, or its configuration is wrong.
 */
export function parseDataType(value: Json | undefined): DataType {
  const name = typeof value === "string" ? value : textOf(objectOf(value, "data_type").name, "name of data_type");
  const configuration = typeof value === "string" ? undefined : objectOf(value, "data_type").configuration;
  const make = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (make !== undefined) return make(configuration === undefined ? {} : objectOf(configuration, "configuration"));
  const number = /^(int|uint|float|complex)(\d{1,3})$/.exec(name);
  if (number !== null) return numberType(name[0], Number(number[2]), false) ?? unsupported(name);
  const raw = /^r(\d{1,9})$/.exec(name);
  if (raw !== null && Number(raw[1]) % 8 === 0) return rawBytes(Number(raw[1]) / 8);
  return unsupported(typeof value === "string" ? name : show(value));
}

function lengthOf(configuration: JsonObject): number {
  const length = integerOf(configuration.length_bytes, "length_bytes", 0);
  if (length > MAX_WIDTH) throw unexpected(length, "length_bytes", `at most ${MAX_WIDTH}`);
  return length;
}

function rawBytes(width: number): DataType {
  return fixed({ kind: "bytes", width }, width, 1);
}

function time(kind: "datetime" | "timedelta", configuration: JsonObject): DataType {
  const unit = timeUnit(textOf(configuration.unit, "unit"));
  const step = configuration.scale_factor === undefined ? 1 : integerOf(configuration.scale_factor, "scale_factor", 1);
  const stored: StoredType = { kind, unit, step };
  return fixed(stored, 8, 8);
}

/** Makes a record type. Fields are objects (`struct`) or pairs (`structured`, the older form). */
function structOf(fields: Json | undefined): DataType {
  return record(
    listOf(fields, "fields").map((field) => {
      const [name, type] = isList(field)
        ? field
        : [objectOf(field, "a field").name, objectOf(field, "a field").data_type];
      return { name: textOf(name, "name of a field"), type: parseDataType(type), shape: [] };
    }),
  );
}
