/** Chooses the vector of a column. */

import type { ArrowField } from "../../arrow/type.js";
import { storedTypeOf } from "../../arrow/written-type.js";
import type { RWriterContext } from "./context.js";
import { FactorSink } from "./factor.js";
import { textSink } from "./text.js";
import { timeSink } from "./time.js";
import { complexSink, IntegerSink, logicalSink, type RVectorSink, realSink, refuseType } from "./vector.js";

/** @throws {RefusedError} for a type that no vector of R has. */
export function vectorSink(cx: RWriterContext, field: ArrowField): RVectorSink {
  const { type } = field;
  switch (type.id) {
    case "Null":
    case "Bool":
      return logicalSink(cx);
    case "Int":
      return new IntegerSink(cx, type.bits < 32);
    case "Float":
      return realSink(cx);
    case "Utf8":
      return textSink(cx);
    case "Dictionary":
      return new FactorSink(cx, type);
    case "Date32":
    case "Timestamp":
    case "Duration":
      return timeSink(cx, field) ?? refuseType(field);
    case "Struct":
      if (storedTypeOf(field).type.kind === "complex") return complexSink(cx);
      return refuseType(field);
    case "Binary":
    case "FixedSizeBinary":
    case "List":
    case "FixedSizeList":
    case "DenseUnion":
      return refuseType(field);
    default:
      return type satisfies never;
  }
}
