/** Messages between the pool and its workers, and errors as serializable data. Messages arrive in order. */

import type { ArrayPlan } from "../../containers/tree/container.js";
import type { ChunkEncoding } from "../../kernels/codecs/encode-chunk.js";
import {
  type AnnarrowError,
  type AnnarrowErrorOptions,
  type AnnarrowErrorTag,
  type ErrorCode,
  InvalidDataError,
  InvalidInputError,
  isAnnarrowError,
  MissingDependencyError,
  NotFoundError,
  UnsupportedError,
} from "../../model/errors.js";
import type { BatchRange, EncodedRowGroup } from "../../parquet/write/row-group.js";
import type { JobResult, JobRows, Task } from "../rows/task.js";
import type { EncoderPlan } from "./packed-rows.js";

export type WorkerRequest =
  | { readonly kind: "task"; readonly task: number; readonly plan: Task<ArrayPlan> }
  | {
      readonly kind: "job";
      readonly task: number;
      readonly job: number;
      readonly rows: JobRows;
      /** Memory for this job from an earlier result that its consumer no longer needs. */
      readonly memory: readonly ArrayBuffer[];
    }
  /** A task whose rows are sent with its jobs. */
  | { readonly kind: "encoder"; readonly task: number; readonly plan: EncoderPlan }
  | {
      readonly kind: "encode";
      readonly task: number;
      readonly job: number;
      readonly slices: readonly BatchRange[];
      /** The memory of the slices, which is transferred. */
      readonly memory: ArrayBuffer;
    }
  /** Chunks, and their memory, which is transferred. */
  | {
      readonly kind: "encode-chunks";
      readonly task: number;
      readonly job: number;
      readonly chunks: readonly RawChunk[];
    }
  /** The task is over: its files are closed and its pending jobs are dropped. */
  | { readonly kind: "forget"; readonly task: number };

/** A chunk in separate memory, and its encoding. */
export interface RawChunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly encoding: ChunkEncoding;
}

/** An encoded chunk, or the error of this chunk only. */
export type EncodedChunk = Uint8Array<ArrayBuffer> | SerializableError;

export type Reply =
  /** The worker is running. It may receive requests before this message. */
  | { readonly kind: "ready" }
  | {
      readonly kind: "result";
      readonly job: number;
      readonly result: JobResult;
      /** Memory of the result that may return with a later job, once the consumer no longer needs it. */
      readonly memory: readonly ArrayBuffer[];
    }
  /** An encoded row group, and the memory of its request, which the next request uses. */
  | {
      readonly kind: "encoded";
      readonly job: number;
      readonly group: EncodedRowGroup;
      readonly memory: ArrayBuffer;
    }
  /** Encoded chunks, and unused memory of their request, which the next request reuses. */
  | {
      readonly kind: "encoded-chunks";
      readonly job: number;
      readonly chunks: readonly EncodedChunk[];
      readonly memory: readonly ArrayBuffer[];
    }
  | { readonly kind: "failed"; readonly job: number; readonly error: SerializableError };

/** An error as serializable data. Between threads an error keeps its message but loses its class. */
export interface SerializableError {
  readonly tag: string | null;
  readonly code: ErrorCode | undefined;
  readonly problem: string;
  readonly source: string | undefined;
  readonly element: string | undefined;
  readonly stack: string | undefined;
}

const CLASSES: Readonly<
  Record<AnnarrowErrorTag, new (problem: string, options: AnnarrowErrorOptions) => AnnarrowError>
> = { NotFoundError, InvalidDataError, UnsupportedError, InvalidInputError, MissingDependencyError };

export function toSerializableError(error: unknown): SerializableError {
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

export function fromSerializableError({ tag, code, problem, source, element, stack }: SerializableError): Error {
  const options = {
    code,
    source,
    element,
  };
  const error = isTag(tag) ? new CLASSES[tag](problem, options) : new Error(problem);
  // The worker's stack shows where the error was thrown.
  if (stack !== undefined) error.stack = stack;
  return error;
}

function isTag(tag: string | null): tag is AnnarrowErrorTag {
  return tag !== null && Object.hasOwn(CLASSES, tag);
}
