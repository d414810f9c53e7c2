/** Starts the worker of a page without a server. */

import type { Address } from "../address/address.js";
import { LocalConnection } from "../data/local.js";
import { ADDRESS } from "./given-inputs.js";

/** Worker file, built by packages/view/page/build.mjs from worker/viewer-worker.ts, in the folder of the page's other files. */
const WORKER = "./viewer-worker.js";

/** Starts the worker; if the page's link contains an address, opens it. */
export async function startLocal(address: Address): Promise<LocalConnection> {
  const connection = new LocalConnection(new Worker(new URL(WORKER, import.meta.url), { type: "module" }));
  const wanted = addressOf(address.fixed("input"));
  if (wanted !== null) await connection.add({ kind: "address", address: wanted });
  return connection;
}

function addressOf(stored: string | null): string | null {
  try {
    const value: unknown = JSON.parse(stored ?? "null");
    return typeof value === "string" && ADDRESS.test(value) ? value : null;
  } catch {
    return null;
  }
}
