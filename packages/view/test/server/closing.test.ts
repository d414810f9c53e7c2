/** The end of the server while a file is being opened. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../../test/build.js";
import { runningView } from "./running-view.js";

const silent = createServer();
beforeAll(async () => {
  await ensureBuilt();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

test("waits for no server that does not answer", async () => {
  const asked = new Promise<void>((resolve) => {
    silent.once("request", (request) => request.once("close", resolve));
  });
  const reached = new Promise<void>((resolve) => silent.once("request", () => resolve()));
  const address: AddressInfo | string | null = silent.address();
  if (address === null || typeof address === "string") throw new TypeError("the server has no port");
  const view = await runningView([`http://127.0.0.1:${address.port}/slow.h5ad`]);
  await reached;
  await view.server.close();
  // The request ended, which nobody answered.
  await asked;
  expect(view.errors).toEqual([]);
});
