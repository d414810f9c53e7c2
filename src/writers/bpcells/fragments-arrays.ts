/** `cell`, `start` and `end` of fragments: as they are, or packed, `end` then as the length. */

import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { bp128Pages } from "../../kernels/bp128/pages.js";
import type { FragmentRows } from "../../kernels/fragments/rows.js";
import { located } from "../../model/errors.js";
import { pathIn, UINT32 } from "./array-types.js";
import { PackedSink } from "./packed-sink.js";

export interface FragmentArraysWriter {
  /** Appends rows, whose ends less their starts are `lengths`; once it resolves the memory may be used again. */
  write(rows: FragmentRows, lengths: Uint32Array): Promise<void>;
  close(): Promise<void>;
}

export function openFragmentArrays(group: GroupWriter, packed: boolean): Promise<FragmentArraysWriter> {
  return packed ? packedArrays(group) : unpackedArrays(group);
}

async function packedArrays(group: GroupWriter): Promise<FragmentArraysWriter> {
  const [cellPage, startPage, endPage] = await bp128Pages(3);
  const cell = await PackedSink.open(group, "cell", "plain", cellPage);
  const start = await PackedSink.open(group, "start", "d1", startPage);
  const end = await PackedSink.open(group, "end", "plain", endPage);
  const sinks = [cell, start, end];
  return {
    async write(rows, lengths) {
      for (let at = 0; at < rows.length; ) {
        // All three have got equally many, and so have equal room.
        const room = cell.room();
        const count = Math.min(room.length, rows.length - at);
        room.set(rows.cell.subarray(at, at + count));
        start.room().set(rows.start.subarray(at, at + count));
        end.room().set(lengths.subarray(at, at + count));
        for (const sink of sinks) await sink.filled(count);
        at += count;
      }
    },
    async close() {
      for (const sink of sinks) await sink.close();
    },
  };
}

async function unpackedArrays(group: GroupWriter): Promise<FragmentArraysWriter> {
  const open = (name: "cell" | "start" | "end") =>
    located({ element: pathIn(group, name) }, async () => {
      const array = await group.array(name, { type: UINT32, shape: [null] });
      return {
        write: (values: Uint32Array) => array.write({ kind: "fixed", values }, values.length),
        close: () => array.close(),
      };
    });
  const [cell, start, end] = [await open("cell"), await open("start"), await open("end")];
  return {
    async write(rows) {
      await cell.write(rows.cell);
      await start.write(rows.start);
      await end.write(rows.end);
    },
    async close() {
      for (const array of [cell, start, end]) await array.close();
    },
  };
}
