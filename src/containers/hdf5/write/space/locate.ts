/** Says in errors which file and which element. */

import { isAnnarrowError } from "../../../../model/errors.js";

export function locate(source: string, element: string, error: unknown): unknown {
  if (isAnnarrowError(error)) return error.locate({ source, element });
  if (error instanceof TypeError) {
    const parts = [source, element, error.message].filter((part) => part !== "");
    return new TypeError(parts.join(": "), { cause: error });
  }
  return error;
}
