/**
 * How the end of fixed-width text is found: at the first NUL, before trailing NULs, or before trailing spaces (as h5py
 * reads it).
 */
export type Padding = "nullterm" | "nullpad" | "spacepad";

const SPACE = 0x20;

/** Maximum width for which a loop over the bytes finds a NUL faster than a call does. */
const MAX_LOOPED = 64;

/**
 * Converts text of fixed width to offsets and bytes without padding.
 * @param bytes `count` values of `width` bytes each.
 */
export function convertFixedText(
  bytes: Uint8Array,
  width: number,
  count: number,
  padding: Padding,
): { offsets: Int32Array; bytes: Uint8Array } {
  const offsets = new Int32Array(count + 1);
  const out = new Uint8Array(width * count);
  let at = 0;
  if (padding === "nullterm" && width <= MAX_LOOPED) {
    for (let i = 0, start = 0; i < count; i++, start += width) {
      for (let j = start; j < start + width && bytes[j] !== 0; j++) out[at++] = bytes[j];
      offsets[i + 1] = at;
    }
    return { offsets, bytes: out.subarray(0, at) };
  }
  for (let i = 0; i < count; i++) {
    const start = i * width;
    const end = textEnd(bytes, start, start + width, padding);
    for (let j = start; j < end; j++) out[at++] = bytes[j];
    offsets[i + 1] = at;
  }
  return { offsets, bytes: out.subarray(0, at) };
}

function textEnd(bytes: Uint8Array, start: number, end: number, padding: Padding): number {
  switch (padding) {
    case "nullterm": {
      const nul = bytes.subarray(start, end).indexOf(0);
      return nul < 0 ? end : start + nul;
    }
    case "nullpad": {
      let last = end;
      while (last > start && bytes[last - 1] === 0) last--;
      return last;
    }
    case "spacepad": {
      let last = end;
      while (last > start && bytes[last - 1] === SPACE) last--;
      // numpy, which h5py uses, also cuts the trailing NULs that libhdf5 leaves.
      return textEnd(bytes, start, last, "nullpad");
    }
    default:
      return padding satisfies never;
  }
}
