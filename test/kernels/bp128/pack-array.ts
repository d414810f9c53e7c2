import { Bp128Packer, type PackedBatch } from "../../../src/kernels/bp128/packer.js";
import type { Bp128Kind, Bp128Page } from "../../../src/kernels/bp128/page.js";

/** Packs all values of an array. `starts` is empty for the kinds without starts. */
export function packArray(
  page: Bp128Page,
  kind: Bp128Kind,
  values: Uint32Array,
): PackedBatch & { readonly offsets: BigUint64Array } {
  const packer = new Bp128Packer(page, kind);
  const pieces: PackedBatch[] = [];
  const keep = (piece: PackedBatch) => {
    pieces.push({ data: piece.data.slice(), idx: piece.idx.slice(), starts: piece.starts.slice() });
  };
  for (const piece of packer.push(values)) keep(piece);
  keep(packer.finish());
  const joined = (part: keyof PackedBatch) => {
    const all = new Uint32Array(pieces.reduce((length, piece) => length + piece[part].length, 0));
    let at = 0;
    for (const piece of pieces) {
      all.set(piece[part], at);
      at += piece[part].length;
    }
    return all;
  };
  return { data: joined("data"), idx: joined("idx"), starts: joined("starts"), offsets: packer.offsets() };
}
