import { spawn } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";

const WAYS = "test/fixtures/data/hostile/ways.h5ad";

beforeAll(ensureBuilt, 120_000);

function inspect(args: readonly string[]) {
  return new Promise<{ readonly code: number | null; readonly stderr: string }>((resolve) => {
    const child = spawn("node", ["dist/cli/main.js", "inspect", WAYS, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (data) => {
      stderr += String(data);
    });
    child.on("close", (code) => resolve({ code, stderr }));
  });
}

test("a file of too many objects is refused with the name of the option", async () => {
  const { code, stderr } = await inspect(["--max-objects", "1000"]);
  expect(code).toBe(1);
  expect(stderr).toBe(
    `annarrow: ${WAYS}: the file leads to more than 1000 objects, attributes and links; the option maxObjects (--max-objects) allows more\n`,
  );
});

test("what is no number of objects is wrong use", async () => {
  expect((await inspect(["--max-objects", "many"])).code).toBe(2);
});
