/** Options of `serve` that make no sense are refused before anything is started. */

import { expect, test } from "vitest";
import { serve } from "../../../published/src/node.js";
import type { ServeOptions } from "../../src/serve/serve.node.js";

const REFUSED: readonly (readonly [ServeOptions, string])[] = [
  [{ endpointBytes: 0 }, "endpointBytes is 0"],
  [{ maxStreams: 0 }, "maxStreams is 0"],
  [{ maxMessageBytes: 0 }, "maxMessageBytes is 0"],
  [{ stallSeconds: -1 }, "stallSeconds is -1"],
  [{ endpointBytes: Number.NaN }, "endpointBytes is NaN"],
  // A timer of Node that is longer than 2^31 ms fires at once.
  [{ uploadSeconds: 3_000_000 }, "uploadSeconds is 3000000"],
  [{ statementSeconds: 3_000_000 }, "statementSeconds is 3000000"],
  [{ stallSeconds: 3_000_000 }, "stallSeconds is 3000000"],
  [{ batchBytes: 1 }, "batchBytes is 1"],
  [{ token: "" }, "the token is empty"],
];

test.each(REFUSED)("%j", async (options, message) => {
  const starting = serve("examples", { port: 0, log: null, ...options });
  await expect(starting.then((server) => server.close(0))).rejects.toThrow(message);
});
