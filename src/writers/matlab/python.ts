/** `Python.*` attributes of values that were never read by hdf5storage: numpy arrays, texts and dicts. */

import type { StoredType } from "../../model/stored.js";
import { numpyName } from "./classes.js";
import type { MatlabWriterContext } from "./context.js";
import type { Metadata } from "./tree/metadata.js";

type Python = { readonly python?: Metadata };

export function pythonArray(
  { profile }: MatlabWriterContext,
  type: StoredType | "object",
  shape: readonly number[],
): Python {
  if (profile !== "hdf5storage") return {};
  const name = type === "object" ? type : numpyName(type);
  if (name === null) return {};
  return {
    python: {
      "Python.Type": "numpy.ndarray",
      "Python.Shape": shape,
      "Python.numpy.UnderlyingType": name,
      "Python.numpy.Container": "ndarray",
      ...(shape.includes(0) ? { "Python.Empty": 1 } : {}),
    },
  };
}

/**
 * @param units how many the text has: hdf5storage takes 32 bits of the underlying type for each, a half of a surrogate
 * pair included.
 */
export function pythonText({ profile }: MatlabWriterContext, units: number): Python {
  if (profile !== "hdf5storage") return {};
  return {
    python: {
      "Python.Type": "str",
      "Python.Shape": [],
      "Python.numpy.UnderlyingType": units === 0 ? "str" : `str${32 * units}`,
      "Python.numpy.Container": "scalar",
      ...(units === 0 ? { "Python.Empty": 1 } : {}),
    },
  };
}

export function pythonDict({ profile }: MatlabWriterContext, fields: readonly string[]): Python {
  return profile === "hdf5storage" ? { python: { "Python.Type": "dict", "Python.Fields": fields } } : {};
}
