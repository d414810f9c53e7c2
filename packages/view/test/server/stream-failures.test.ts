/** Answers that break off after they have begun. */

import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { open } from "../../../../src/api/open.node.js";
import { ensureBuilt } from "../../../../test/build.js";
import { InvalidDataError } from "../../../published/src/index.js";
import { startViewServer, type ViewServer } from "../../src/server/view-server.node.js";
import { PAGE } from "./running-view.js";

let server: ViewServer;
const errors: unknown[] = [];
beforeAll(async () => {
  await ensureBuilt();
  server = await startViewServer(
    {
      inputs: async () => [{ name: "pbmc.h5ad", bytes: null }],
      open: () => open("examples/pbmc.h5ad"),
      async *statement({ sql }) {
        yield new Uint8Array(1000);
        throw sql === "broken" ? new InvalidDataError("chunk 7 is broken", { element: "X" }) : new TypeError("a fault");
      },
    },
    {
      ...{ host: "127.0.0.1", port: 0, page: PAGE, allowHost: [], frameOrigins: [] },
      savePart: () => Promise.reject(new TypeError("nothing is saved here")),
      onError: (error) => errors.push(error),
    },
  );
});
afterAll(() => server.close());

/** The bytes that came of an answer, whether it was whole, and the address of its error. */
function begun(sql: string): Promise<{ bytes: number; isWhole: boolean; failure: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    const sent = request(
      { host: "127.0.0.1", port: server.port, path: "/ask", method: "POST", headers },
      (response) => {
        let bytes = 0;
        response.on("data", (part) => {
          bytes += part.length;
        });
        response.on("error", () => undefined);
        response.on("close", () => {
          const failure = String(response.headers["x-annarrow-failure"]);
          resolve({ bytes, isWhole: response.complete, failure });
        });
      },
    );
    sent.on("error", reject).end(JSON.stringify({ call: "sql", input: "pbmc.h5ad", sql }));
  });
}

const failureAt = async (path: string, token = server.token) => {
  const response = await fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${token}` } });
  return [response.status, await response.json()];
};

test("tell afterwards what was wrong, once, to those who have the token", async () => {
  const { bytes, isWhole, failure } = await begun("broken");
  expect([bytes, isWhole]).toEqual([1000, false]);
  expect((await failureAt(failure, "x"))[0]).toBe(401);
  expect(await failureAt(failure)).toEqual([200, { error: "InvalidDataError", message: "X: chunk 7 is broken" }]);
  expect((await failureAt(failure))[0]).toBe(404);
  // Broken files are no errors of the server.
  expect(errors).toEqual([]);
});

test("tell nothing of faults of the program, which are reported where it runs", async () => {
  const { failure } = await begun("other");
  const [status, told] = await failureAt(failure);
  expect(status).toBe(200);
  expect(JSON.stringify(told)).not.toContain("a fault");
  expect(errors.map(String)).toEqual(["TypeError: a fault"]);
});
