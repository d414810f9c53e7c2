/** Writes a part that the page saves to a file on this machine. */

import { createWriteStream } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Dataset, Progress } from "annarrow";
import { write } from "annarrow/node/api";
import type { ViewPart } from "../../part.js";
import type { ViewSaving } from "../../view-request.js";

/** A downloaded file's name, without a folder, and its media type. */
export type SavedFile = Pick<ViewPart, "fileName" | "type">;

export interface SavingOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (saving: ViewSaving) => void;
}

export async function writePart(
  path: string,
  { fileName, type, content }: ViewPart,
  { signal, onProgress }: SavingOptions,
): Promise<SavedFile> {
  if (content.kind === "store") await writeStore(path, content.dataset, { signal, onProgress });
  else {
    const file = createWriteStream(path, { mode: 0o600 });
    await pipeline(Readable.from(content.chunks), counting(onProgress), file, { signal });
  }
  return { fileName, type };
}

async function writeStore(path: string, dataset: Dataset, { signal, onProgress }: SavingOptions): Promise<void> {
  const told = ({ element, done, total }: Progress) =>
    onProgress({ element, share: total === null || total === 0 ? null : Math.min(1, done / total), bytes: null });
  await write(path, dataset, { signal, onProgress: told });
}

/** Passes bytes through and reports how many there were. */
function counting(onProgress: SavingOptions["onProgress"]): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      bytes += chunk.length;
      onProgress({ element: null, share: null, bytes });
      done(null, chunk);
    },
  });
}
