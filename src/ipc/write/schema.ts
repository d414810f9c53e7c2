/**
 * Encodes the schema of a table as a message of Arrow's IPC format, from serializable fields. Writes the flatbuffer
 * tables `Message` and `Schema` of the format's Message.fbs and Schema.fbs. Slots are the positions of fields in these
 * tables.
 */

import { Builder } from "flatbuffers";
import type { ArrowField, ArrowInt, ArrowType, DictionaryType, SchemaField, TimestampUnit } from "../../arrow/type.js";
import { CONTINUATION, HEADER, METADATA_VERSION, TYPE } from "../flatbuffers/format.js";

const LITTLE_ENDIAN = 0;
const DENSE = 1;

/** Date units: days for `Date32`, and milliseconds as the default. */
const DAYS = 0;
const MILLISECONDS = 1;

const UNIT: Readonly<Record<TimestampUnit, number>> = { s: 0, ms: 1, us: 2, ns: 3 };

/**
 * Encodes the schema as an encapsulated message, which other formats embed. The message consists of continuation
 * marker, length and flatbuffer, padded to 8 bytes. A schema has no body.
 */
export function encodeEmbeddedSchema(
  fields: readonly SchemaField[],
  metadata: ReadonlyMap<string, string>,
): Uint8Array {
  const builder = new Builder(1024);
  const schema = addSchema(builder, fields, metadata);
  builder.startObject(5);
  builder.addFieldInt16(0, METADATA_VERSION.V5, 0);
  builder.addFieldInt8(1, HEADER.schema, 0);
  builder.addFieldOffset(2, schema, 0);
  builder.finish(builder.endObject());
  const flatbuffer = builder.asUint8Array();
  const length = (flatbuffer.length + 7) & ~7;
  const message = new Uint8Array(8 + length);
  const view = new DataView(message.buffer);
  view.setUint32(0, CONTINUATION, true);
  view.setInt32(4, length, true);
  message.set(flatbuffer, 8);
  return message;
}

/**
 * Adds the table `Schema` to a flatbuffer. Dictionaries are numbered from 0; dictionaries nested in a column are
 * numbered before the column's own dictionary.
 * @returns the table's position.
 */
export function addSchema(
  builder: Builder,
  fields: readonly SchemaField[],
  metadata: ReadonlyMap<string, string>,
): number {
  return new SchemaWriter(builder).schema(fields, metadata);
}

class SchemaWriter {
  readonly #out: Builder;
  #dictionaries = 0;

  constructor(out: Builder) {
    this.#out = out;
  }

  schema(fields: readonly SchemaField[], metadata: ReadonlyMap<string, string>): number {
    const children = this.#vector(fields.map((field) => this.#field(field)));
    const keyValues = this.#keyValues(metadata);
    this.#out.startObject(4);
    this.#out.addFieldInt16(0, LITTLE_ENDIAN, 0);
    this.#out.addFieldOffset(1, children, 0);
    if (keyValues !== 0) this.#out.addFieldOffset(2, keyValues, 0);
    return this.#out.endObject();
  }

  #field(field: SchemaField): number {
    const out = this.#out;
    const { type } = field;
    // In the format, a dictionary column has the type of its values.
    const values = type.id === "Dictionary" ? type.value : type;
    const children = this.#vector(childrenOf(values).map((child) => this.#field(child)));
    const dictionary = type.id === "Dictionary" ? this.#dictionary(type) : 0;
    const valueType = this.#type(values);
    const name = out.createString(field.name);
    const keyValues = this.#keyValues(field.stored ?? metadataOf(field));
    out.startObject(7);
    out.addFieldOffset(0, name, 0);
    out.addFieldInt8(1, field.nullable ? 1 : 0, 0);
    out.addFieldInt8(2, typeId(values), 0);
    out.addFieldOffset(3, valueType, 0);
    if (dictionary !== 0) out.addFieldOffset(4, dictionary, 0);
    out.addFieldOffset(5, children, 0);
    if (keyValues !== 0) out.addFieldOffset(6, keyValues, 0);
    return out.endObject();
  }

  #dictionary({ index, ordered }: DictionaryType): number {
    const indexType = this.#int(index);
    this.#out.startObject(4);
    this.#out.addFieldInt64(0, BigInt(this.#dictionaries++), 0n);
    this.#out.addFieldOffset(1, indexType, 0);
    this.#out.addFieldInt8(2, ordered ? 1 : 0, 0);
    return this.#out.endObject();
  }

  #type(type: ArrowType): number {
    switch (type.id) {
      case "Int":
        return this.#int(type);
      case "Float":
        return this.#table(1, () => this.#out.addFieldInt16(0, { 16: 0, 32: 1, 64: 2 }[type.bits], 0));
      case "FixedSizeBinary":
        return this.#table(1, () => this.#out.addFieldInt32(0, type.width, 0));
      case "Date32":
        return this.#table(1, () => this.#out.addFieldInt16(0, DAYS, MILLISECONDS));
      case "Timestamp": {
        const zone = type.timezone === undefined ? 0 : this.#out.createString(type.timezone);
        return this.#table(2, () => {
          this.#out.addFieldInt16(0, UNIT[type.unit], 0);
          if (zone !== 0) this.#out.addFieldOffset(1, zone, 0);
        });
      }
      case "Duration":
        return this.#table(1, () => this.#out.addFieldInt16(0, UNIT[type.unit], UNIT.ms));
      case "FixedSizeList":
        return this.#table(1, () => this.#out.addFieldInt32(0, type.size, 0));
      case "DenseUnion": {
        const ids = this.#typeIds(type.fields.length);
        return this.#table(2, () => {
          this.#out.addFieldInt16(0, DENSE, 0);
          this.#out.addFieldOffset(1, ids, 0);
        });
      }
      case "Null":
      case "Bool":
      case "Utf8":
      case "Binary":
      case "List":
      case "Struct":
      case "Dictionary":
        return this.#table(0, () => undefined);
      default:
        return type satisfies never;
    }
  }

  #int({ bits, signed }: ArrowInt): number {
    return this.#table(2, () => {
      this.#out.addFieldInt32(0, bits, 0);
      this.#out.addFieldInt8(1, signed ? 1 : 0, 0);
    });
  }

  #table(slots: number, fields: () => void): number {
    this.#out.startObject(slots);
    fields();
    return this.#out.endObject();
  }

  #typeIds(count: number): number {
    this.#out.startVector(4, count, 4);
    for (let i = count - 1; i >= 0; i--) this.#out.addInt32(i);
    return this.#out.endVector();
  }

  /** Adds key-value metadata. @returns the position of the metadata; 0 if there is none. */
  #keyValues(metadata: ReadonlyMap<string, string>): number {
    if (metadata.size === 0) return 0;
    const pairs = [...metadata].map(([key, value]) => {
      const [first, second] = [this.#out.createString(key), this.#out.createString(value)];
      return this.#table(2, () => {
        this.#out.addFieldOffset(0, first, 0);
        this.#out.addFieldOffset(1, second, 0);
      });
    });
    return this.#vector(pairs);
  }

  #vector(offsets: readonly number[]): number {
    this.#out.startVector(4, offsets.length, 4);
    for (const offset of offsets.toReversed()) this.#out.addOffset(offset);
    return this.#out.endVector();
  }
}

function metadataOf({ metadata }: ArrowField): ReadonlyMap<string, string> {
  return metadata === undefined ? new Map() : new Map([["annarrow", JSON.stringify(metadata)]]);
}

function childrenOf(type: ArrowType): readonly ArrowField[] {
  switch (type.id) {
    case "List":
    case "FixedSizeList":
      return [type.item];
    case "Struct":
    case "DenseUnion":
      return type.fields;
    default:
      return [];
  }
}

/** Returns the format's number for a type. A dictionary has the number of its value type, which is not a dictionary. */
function typeId(type: ArrowType): number {
  if (type.id === "Dictionary") return typeId(type.value);
  if (type.id === "DenseUnion") return TYPE.Union;
  return type.id === "Date32" ? TYPE.Date : TYPE[type.id];
}
