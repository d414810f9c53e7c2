/** Tables of one column, made by hand. */

import {
  BufferType,
  Data,
  DataType,
  Field,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
  vectorFromArray,
} from "apache-arrow";

/** The column `v`. */
export function columnOf(data: Data): Table {
  const schema = new Schema([new Field("v", data.type, true)]);
  const struct = makeData({ type: new Struct(schema.fields), length: data.length, nullCount: 0, children: [data] });
  return new Table([new RecordBatch(schema, struct)]);
}

/** Of the first column. */
export const values = (table: Table): unknown[] => [...(table.getChildAt(0) ?? [])];

/** Values of `type`, decimals in four words each. */
export function data(type: DataType, values: ArrayLike<number | bigint> & ArrayBufferView): Data {
  const length = DataType.isDecimal(type) ? values.length / 4 : values.length;
  return new Data(type, 0, length, 0, { [BufferType.DATA]: values });
}

export function textData(word: string): Data<Utf8> {
  return vectorFromArray([word], new Utf8()).data[0];
}

export function deep(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, one) => (typeof one === "bigint" ? `${one}n` : one)));
}
