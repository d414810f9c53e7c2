// The kernels alone, page by page, in memory: what the bit packing takes without files and Arrow.

import { importBundled } from "../../scripts/import-bundled.mjs";

export const KERNEL_VALUES = 2 ** 26;

/** From the sources, since the package does not export them. */
async function pages() {
  const { createBp128Pages } = await importBundled("src/kernels/bp128/pages.ts");
  return createBp128Pages(1);
}

/**
 * A task that packs (`down`) or unpacks (`up`) `KERNEL_VALUES` integers: one page, full of chunks of one width, again and
 * again.
 */
export async function prepared(kind, width, direction) {
  const [page] = await pages();
  const { values } = page;
  const chunks = values.length >> 7;
  const greatest = 2 ** width - 1;
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  // Every chunk reaches the width once.
  for (let i = 0, before = 0; i < values.length; i++) {
    const raw = i % 128 === 5 ? greatest : Math.floor(random() * (greatest + 1));
    if (kind === "d1" || kind === "d1z") {
      // Differences of this width; their signs lie in the lowest bit of d1z.
      const step = kind === "d1" ? raw : raw & 1 ? -((raw + 1) / 2) : raw / 2;
      before = i % 128 === 0 ? 2 ** 31 : (before + step) >>> 0;
      values[i] = before;
    } else {
      values[i] = kind === "m1" ? raw + 1 : raw;
    }
  }
  page.pack(kind, chunks, 0);
  const words = page.idx[chunks];
  if (words !== 4 * width * chunks) throw new Error(`${words / chunks / 4} bits a value instead of ${width}`);
  const rounds = KERNEL_VALUES / values.length;
  const step = direction === "up" ? () => page.unpack(kind, chunks) : () => page.pack(kind, chunks, 0);
  return () => {
    for (let i = 0; i < rounds; i++) step();
    return rounds;
  };
}
