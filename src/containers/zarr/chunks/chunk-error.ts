import {
  InvalidDataError,
  isAnnarrowError,
  isCancellation,
  locateError,
  UnsupportedError,
} from "../../../model/errors.js";

/** `error` with the chunk's key in its message; its class and code stay. */
export function chunkError(key: string, error: unknown): unknown {
  if (isCancellation(error)) return error;
  const named = isAnnarrowError(error) ? error : locateError(error, {});
  if (!isAnnarrowError(named, "InvalidDataError", "UnsupportedError")) return named;
  const problem = `chunk ${key}: ${named.problem}`;
  const options = { cause: error, code: named.code };
  return named.tag === "UnsupportedError"
    ? new UnsupportedError(problem, options)
    : new InvalidDataError(problem, options);
}
