/** The process in which files are tried: it opens one after another, as the server would, and says how that went. */

import { openStored } from "../../api/open.node.js";
import { toPlainError } from "../../jobs/workers/plain-error.js";
import { describeDataset } from "./describe.js";
import type { FromTrial, Verdict } from "./trials.node.js";

async function tried(path: string): Promise<Verdict> {
  try {
    const dataset = await openStored(path);
    try {
      JSON.stringify(describeDataset("", dataset));
    } finally {
      await dataset.close();
    }
    return { kind: "opened", lasts: dataset.container !== "rds" };
  } catch (error) {
    return { kind: "failed", error: toPlainError(error) };
  }
}

const send = (message: FromTrial) => process.send?.(message);

process.on("message", async (path: string) => send(await tried(path)));
send({ kind: "ready" });
// Without its server it has nothing to do, whatever it is in the middle of.
process.on("disconnect", () => process.exit());
