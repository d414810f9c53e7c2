/** What goes between the pool and its workers, in order. */

import type { ArrayPlan } from "../../containers/tree/container.js";
import type { ChunkEncoding } from "../../kernels/codecs/encode-chunk.js";
import type { ErrorCode } from "../../model/errors.js";
import type { EncodedRowGroup, Segment } from "../../parquet/write/row-group.js";
import type { JobResult, JobRows, Task } from "../rows/task.js";
import type { EncoderPlan } from "./packed-segments.js";

export type WorkerRequest =
  | { readonly kind: "task"; readonly task: number; readonly plan: Task<ArrayPlan> }
  | {
      readonly kind: "job";
      readonly task: number;
      readonly job: number;
      readonly rows: JobRows;
      /** Of a part that its consumer is done with, for this one. */
      readonly memory: readonly ArrayBuffer[];
    }
  /** A task whose rows come with its jobs. */
  | { readonly kind: "encoder"; readonly task: number; readonly plan: EncoderPlan }
  | {
      readonly kind: "encode";
      readonly task: number;
      readonly job: number;
      readonly segments: readonly Segment[];
      /** Where they lie. */
      readonly memory: ArrayBuffer;
    }
  /** Chunks, and their memory, which moves. */
  | {
      readonly kind: "encode-chunks";
      readonly task: number;
      readonly job: number;
      readonly chunks: readonly RawChunk[];
    }
  /** The task is over: its files are closed, its jobs still waiting are dropped. */
  | { readonly kind: "forget"; readonly task: number };

/** A chunk, which has all of its memory, and what is to be done to it. */
export interface RawChunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly encoding: ChunkEncoding;
}

/** One chunk's error is not that of its neighbours. */
export type EncodedChunk = Uint8Array<ArrayBuffer> | PlainError;

export type Reply =
  /** The worker runs; what it is asked may come before. */
  | { readonly kind: "ready" }
  | {
      readonly kind: "part";
      readonly job: number;
      readonly part: JobResult;
      /** What the part lies in and may come back with a later job, once the consumer is done with it. */
      readonly memory: readonly ArrayBuffer[];
    }
  /** With the memory of the request, for the next one. */
  | {
      readonly kind: "encoded";
      readonly job: number;
      readonly group: EncodedRowGroup;
      readonly memory: ArrayBuffer;
    }
  /** With the memory of the request that no result lies in, for the next one. */
  | {
      readonly kind: "encoded-chunks";
      readonly job: number;
      readonly chunks: readonly EncodedChunk[];
      readonly memory: readonly ArrayBuffer[];
    }
  | { readonly kind: "failed"; readonly job: number; readonly error: PlainError };

/** An error as plain data: its class does not survive the way between threads. */
export interface PlainError {
  readonly tag: string | null;
  readonly code: ErrorCode | undefined;
  readonly problem: string;
  readonly source: string | undefined;
  readonly element: string | undefined;
  readonly stack: string | undefined;
}
