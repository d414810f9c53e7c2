/** Errors on their way between threads, which keeps their text and loses their class. */

import {
  type AnnarrowError,
  type AnnarrowErrorOptions,
  type AnnarrowErrorTag,
  InvalidDataError,
  InvalidInputError,
  isAnnarrowError,
  MissingDependencyError,
  NotFoundError,
  UnsupportedError,
} from "../../model/errors.js";
import type { PlainError } from "./messages.js";

const CLASSES: Readonly<
  Record<AnnarrowErrorTag, new (problem: string, options: AnnarrowErrorOptions) => AnnarrowError>
> = { NotFoundError, InvalidDataError, UnsupportedError, InvalidInputError, MissingDependencyError };

export function toPlainError(error: unknown): PlainError {
  if (isAnnarrowError(error)) {
    const { tag, code, problem, source, element, stack } = error;
    return { tag, code, problem, source, element, stack };
  }
  const problem = error instanceof Error ? error.message : String(error);
  return {
    tag: null,
    code: undefined,
    problem,
    source: undefined,
    element: undefined,
    stack: error instanceof Error ? error.stack : undefined,
  };
}

export function fromPlainError({ tag, code, problem, source, element, stack }: PlainError): Error {
  const options = {
    code,
    ...(source === undefined ? {} : { source }),
    ...(element === undefined ? {} : { element }),
  };
  const error = isTag(tag) ? new CLASSES[tag](problem, options) : new Error(problem);
  // Where it was thrown is in the worker.
  if (stack !== undefined) error.stack = stack;
  return error;
}

function isTag(tag: string | null): tag is AnnarrowErrorTag {
  return tag !== null && Object.hasOwn(CLASSES, tag);
}
