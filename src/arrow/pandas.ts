/** Makes the `pandas` schema metadata for a dataframe, so that `pyarrow.Table.to_pandas()` restores the index. */

import { type ArrowField, type ArrowType, describeArrowType } from "./type.js";

/**
 * Returns the JSON for a table whose first field is the index. The stored name `_index` denotes an index without a
 * name.
 */
export function createPandasMetadata(fields: readonly ArrowField[]): string {
  const [index] = fields;
  const columns = fields.map((field, i) => ({
    name: i === 0 && field.name === "_index" ? null : field.name,
    field_name: field.name,
    ...pandasType(field),
    metadata: categoricalMetadata(field.type),
  }));
  return JSON.stringify({
    index_columns: [index.name],
    column_indexes: [{ name: null, field_name: null, pandas_type: "unicode", numpy_type: "object", metadata: null }],
    columns: [...columns.slice(1), columns[0]],
    creator: { library: "annarrow" },
    pandas_version: "2.0.0",
  });
}

/**
 * Returns the pandas type of text. anndata reads `nullable-string-array` as pandas' `string`, or as `str`, which
 * represents missing values as NaN.
 */
function textType(metadata: ArrowField["metadata"]): "string" | "str" | "object" {
  if (metadata?.kind !== "nullable-string-array") return "object";
  return metadata["na-value"] === "NaN" ? "str" : "string";
}

function categoricalMetadata(type: ArrowType): { num_categories: null; ordered: boolean } | null {
  return type.id === "Dictionary" ? { num_categories: null, ordered: type.ordered } : null;
}

/**
 * Returns a column's pandas types. Columns with missing values get pandas' nullable types, because pyarrow would
 * otherwise convert integers to floats and lose digits beyond 2^53.
 */
function pandasType({ type, nullable, metadata }: ArrowField): { pandas_type: string; numpy_type: string } {
  switch (type.id) {
    case "Bool":
      return { pandas_type: "bool", numpy_type: nullable ? "boolean" : "bool" };
    case "Int": {
      const name = describeArrowType(type).toLowerCase();
      const capitals = `${type.signed ? "Int" : "UInt"}${type.bits}`;
      return { pandas_type: name, numpy_type: nullable ? capitals : name };
    }
    case "Float": {
      const name = describeArrowType(type).toLowerCase();
      return { pandas_type: name, numpy_type: name };
    }
    case "Utf8":
      return { pandas_type: "unicode", numpy_type: textType(metadata) };
    case "Binary":
    case "FixedSizeBinary":
      return { pandas_type: "bytes", numpy_type: "object" };
    case "Date32":
      return { pandas_type: "date", numpy_type: "object" };
    case "Timestamp":
      return { pandas_type: "datetime", numpy_type: `datetime64[${type.unit}]` };
    case "Duration":
      return { pandas_type: "timedelta", numpy_type: `timedelta64[${type.unit}]` };
    case "Dictionary":
      return { pandas_type: "categorical", numpy_type: describeArrowType(type.index).toLowerCase() };
    case "Null":
      return { pandas_type: "empty", numpy_type: "object" };
    case "List":
    case "FixedSizeList":
    case "Struct":
    case "DenseUnion":
      return { pandas_type: "object", numpy_type: "object" };
    default:
      return type satisfies never;
  }
}
