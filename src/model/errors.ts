/**
 * The errors thrown by the library. The few classes distinguish the causes: the file, the caller, and the library's
 * limits. Each message names the source, the element and the problem exactly once. `isAnnarrowError` narrows the type
 * without `instanceof`, which fails if the library is loaded twice.
 */

/** The location of an error: the file or URL, and the path of the element in it. */
export interface Location {
  readonly source?: string;
  readonly element?: string;
  /** The table that could not be written. `column` is set if only this column could not be written. */
  readonly table?: string;
  readonly column?: number;
}

/**
 * A kind of error that the library itself handles. Errors keep their code when they cross threads and processes.
 * `symlink-escape`: a symbolic link leads out of its store. `source-changed`: a file was written, added or removed
 * since its store was opened. `outside`: the file system, the network, a caller's store or an engine failed.
 */
export type ErrorCode = "symlink-escape" | "source-changed" | "outside";

export interface AnnarrowErrorOptions extends Location {
  readonly cause?: unknown;
  /** @internal */
  readonly code?: ErrorCode | undefined;
}

export type AnnarrowErrorTag =
  | "NotFoundError"
  | "InvalidDataError"
  | "UnsupportedError"
  | "InvalidInputError"
  | "MissingDependencyError";

/**
 * Base of all errors of this library; `problem` is the message without its location. `name` and `tag` contain the class
 * name as a literal, since bundlers shorten class names.
 */
export abstract class AnnarrowError extends Error {
  abstract readonly tag: AnnarrowErrorTag;
  readonly problem: string;
  /** @internal */
  readonly code: ErrorCode | undefined;
  source: string | undefined;
  element: string | undefined;
  /** @internal */
  table: string | undefined;
  /** @internal */
  column: number | undefined;

  constructor(problem: string, options: AnnarrowErrorOptions = {}) {
    super(problem, options.cause === undefined ? undefined : { cause: options.cause });
    this.problem = problem;
    this.code = options.code;
    this.locate(options);
  }

  /** Adds the missing parts of the location while the error propagates. */
  locate(location: Location): this {
    this.source ??= location.source;
    this.element ??= location.element;
    this.table ??= location.table;
    this.column ??= location.column;
    // The root of a file has an empty path, which is omitted from the message.
    this.message = [this.source, this.element, this.problem]
      .filter((part) => part !== undefined && part !== "")
      .join(": ");
    return this;
  }
}

/** A requested file, key, table or column does not exist. */
export class NotFoundError extends AnnarrowError {
  readonly tag = "NotFoundError";
  override readonly name = this.tag;
}

/** The bytes break their own format: truncated, inconsistent, out of range. */
export class InvalidDataError extends AnnarrowError {
  readonly tag = "InvalidDataError";
  override readonly name = this.tag;
}

/**
 * The input is valid, but cannot be read here: for example, it has an unknown encoding, filter or type, or a link that
 * leads out of the file.
 */
export class UnsupportedError extends AnnarrowError {
  readonly tag = "UnsupportedError";
  override readonly name = this.tag;
}

/** The caller passed invalid input, such as a bad option or a range outside the table. */
export class InvalidInputError extends AnnarrowError {
  readonly tag = "InvalidInputError";
  override readonly name = this.tag;
}

/**
 * The target of a write cannot store an element. If losses are allowed, the element is left out. Callers see an
 * `InvalidInputError`.
 */
export class UnsupportedElementError extends InvalidInputError {
  readonly isRefused = true;
}

/** The tables lack an element that the format requires. Callers see an `InvalidInputError`. */
export class NothingToWriteError extends InvalidInputError {
  readonly isNothing = true;
}

/** Whether `error` is a `NothingToWriteError` from any loaded copy of this library. */
export function isNothingToWrite(error: unknown): boolean {
  return isAnnarrowError(error) && "isNothing" in error;
}

/**
 * True if a table or a column cannot be read, or cannot be written to its target. Such an element is left out if losses
 * are allowed. Other errors, such as tables that do not fit together or a full disk, give false.
 */
export function isUnsupportedOrInvalid(error: unknown): error is AnnarrowError {
  if (!isAnnarrowError(error) || isFromOutside(error)) return false;
  return "isRefused" in error || error.tag === "UnsupportedError" || error.tag === "InvalidDataError";
}

/**
 * True if an error was not caused by the data: a disk is full, a file is missing or was changed, or the network failed.
 * Such an error ends the operation, whereas an error in the data affects only one element.
 */
export function isFromOutside(error: unknown): boolean {
  return isAnnarrowError(error) && (error.code === "outside" || error.code === "source-changed");
}

/**
 * An optional package is not installed, or a page's policy forbids WebAssembly. The message contains the name of the
 * package and the command that installs it, or what the policy must allow.
 */
export class MissingDependencyError extends AnnarrowError {
  readonly tag = "MissingDependencyError";
  override readonly name = this.tag;
}

/** Returns whether `error` is an error of this library (of any loaded copy), optionally of the given classes. */
export function isAnnarrowError(error: unknown, ...tags: AnnarrowErrorTag[]): error is AnnarrowError {
  if (!(error instanceof Error) || !("tag" in error) || !("problem" in error)) return false;
  return tags.length === 0 || tags.some((tag) => tag === error.tag);
}

/**
 * Runs `action`, and adds `location` to its errors. A foreign error becomes an `InvalidDataError` with `cause`, but a
 * cancellation is thrown unchanged.
 */
export async function runWithLocation<T>(location: Location, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw locateError(error, location);
  }
}

/**
 * Returns a copy of the error with advice for the caller. The original stays unchanged, because it may be shown
 * elsewhere without the advice.
 */
export function withRemedy(error: AnnarrowError, remedy: string): AnnarrowError {
  const { source, element, code, tag } = error;
  const problem = `${error.problem}; ${remedy}`;
  const options = {
    source,
    element,
    ...{ code, cause: error },
  };
  switch (tag) {
    case "UnsupportedError":
      return new UnsupportedError(problem, options);
    case "InvalidDataError":
      return new InvalidDataError(problem, options);
    case "InvalidInputError":
      return new InvalidInputError(problem, options);
    case "NotFoundError":
      return new NotFoundError(problem, options);
    default:
      return error;
  }
}

/** Returns the error that `runWithLocation` throws for `error`. */
export function locateError(error: unknown, location: Location): unknown {
  if (isAnnarrowError(error)) return error.locate(location);
  if (isCancellation(error)) return error;
  const problem = error instanceof Error ? error.message : String(error);
  return new InvalidDataError(problem, { ...location, cause: error, code: "outside" });
}

/** Returns the error with the full path of its element. The given error's path is relative to `path`. */
export function locateBelow(error: AnnarrowError, path: string): AnnarrowError {
  const { element = "" } = error;
  if (element !== path && !element.startsWith(`${path}/`)) error.element = element === "" ? path : `${path}/${element}`;
  return error.locate({});
}

/** Whether `error` is the abort reason of an `AbortSignal`. */
export function isCancellation(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
}
