/** A process that opens files one after another, as the server would, and reports the results. */

import { hasExternalValues } from "annarrow/core/containers";
import { type SerializableError, toSerializableError } from "annarrow/core/jobs";
import { openStored } from "annarrow/node/api";
import { describeDataset } from "./describe.js";

/** Messages of the process: it is ready, followed by a verdict on each file. */
export type FromProbe = { readonly kind: "ready" } | Verdict;

export type Verdict =
  /** `lasts` is false for a file that refers to other files, which may change independently. */
  { readonly kind: "opened"; readonly lasts: boolean } | { readonly kind: "failed"; readonly error: SerializableError };

/** Options for generic files, as passed by `Trials` when it starts the process. */
const plain = {
  ofFolder: true,
  cf: process.argv.includes("--cf"),
  frame: process.argv.flatMap((argument) => /^--frame=(.*)$/s.exec(argument)?.[1] ?? []),
};

async function tried(path: string): Promise<Verdict> {
  try {
    const dataset = await openStored(path, plain);
    try {
      JSON.stringify(describeDataset("", dataset));
    } finally {
      await dataset.close();
    }
    return { kind: "opened", lasts: !hasExternalValues(dataset.container) };
  } catch (error) {
    return { kind: "failed", error: toSerializableError(error) };
  }
}

const send = (message: FromProbe) => process.send?.(message);

/** Opens the files that the parent process names, and sends a verdict for each. */
export function startProbeProcess(): void {
  process.on("message", async (path: string) => send(await tried(path)));
  send({ kind: "ready" });
}
// Without its server the process is useless, even if it is still opening a file.
process.on("disconnect", () => process.exit());
