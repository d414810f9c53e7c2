/** A page of fragments one row at a time, as the kernel is compared with. */

import { type FragmentPage, PAGE_ROWS } from "../../../src/kernels/fragments/page.js";
import type { FragmentRows } from "../../../src/kernels/fragments/rows.js";

const NONE = new Uint32Array(0);

export function createSlowFragmentPage(): FragmentPage {
  const memory = new Uint32Array(PAGE_ROWS);
  let page: Pick<FragmentRows, "start" | "end"> = { start: NONE, end: NONE };
  return {
    look(rows, chrBefore, startBefore) {
      const { chr, start, end, length } = rows;
      page = { start, end: end ?? NONE };
      let [lastChr, lastStart] = [chrBefore, startBefore];
      let [changes, descends, isBackwards] = [false, false, false];
      for (let i = 0; i < length; i++) {
        if (chr[i] !== lastChr) changes = true;
        else if (start[i] < lastStart) descends = true;
        if (end !== undefined && end[i] < start[i]) isBackwards = true;
        lastChr = chr[i];
        lastStart = start[i];
      }
      return { changes, descends, isBackwards };
    },
    lengths() {
      const { start, end } = page;
      for (let i = 0; i < start.length; i++) memory[i] = end[i] - start[i];
      return memory.subarray(0, start.length);
    },
    greatest(from, to) {
      let greatest = 0;
      for (let i = from; i < to; i++) if (page.end[i] > greatest) greatest = page.end[i];
      return greatest;
    },
  };
}
