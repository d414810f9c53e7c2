/** The schema that DuckDB returns for the rows of a loaded table. */

import {
  Binary,
  DataType,
  DateDay,
  Field,
  FixedSizeList,
  Float32,
  Int32,
  Int64,
  IntervalMonthDayNano,
  List,
  Map_,
  Schema,
  Struct,
  TimeMicrosecond,
  TimestampMicrosecond,
  TimeUnit,
  Utf8,
} from "apache-arrow";

/** Returns the schema of `select *` from the table that `loadIntoDuckDB` creates for a table with `schema`. */
export function toDuckDBResultSchema(schema: Schema): Schema {
  return new Schema(schema.fields.map(({ name, type }) => new Field(name, resultType(type), true)));
}

function resultType(type: DataType): DataType {
  if (DataType.isDictionary(type)) return resultType(type.dictionary);
  if (DataType.isNull(type)) return new Int32();
  if (DataType.isFloat(type) && type.precision === 0) return new Float32();
  if (DataType.isLargeUtf8(type)) return new Utf8();
  if (DataType.isLargeBinary(type) || DataType.isFixedSizeBinary(type)) return new Binary();
  if (DataType.isDate(type)) return new DateDay();
  if (DataType.isTime(type)) return new TimeMicrosecond();
  if (DataType.isDuration(type)) return type.unit === TimeUnit.NANOSECOND ? new Int64() : new IntervalMonthDayNano();
  if (DataType.isTimestamp(type) && type.timezone) return new TimestampMicrosecond("UTC");
  return nestedResultType(type);
}

function nestedResultType(type: DataType): DataType {
  const children: Field[] = (type.children ?? []).map(
    (field: Field) => new Field(field.name, resultType(field.type), field.nullable),
  );
  const [first] = children;
  if (DataType.isStruct(type)) return new Struct(children);
  if (first === undefined) return type;
  if (DataType.isMap(type)) return new Map_(first, type.keysSorted);
  if (DataType.isFixedSizeList(type) && type.listSize > 0) return new FixedSizeList(type.listSize, first);
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type)) return new List(first);
  return type;
}
