import { execFile } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";

const OBJECT = "test/fixtures/data/bpcells-objects/dir-moved.rds";

beforeAll(ensureBuilt, 120_000);

function inspect(...args: string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile("node", ["dist/cli/main.js", "inspect", OBJECT, ...args], (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
}

test("a saved object is followed into the folders of --follow alone", async () => {
  expect((await inspect()).stderr).toMatch(/the data lie at "\/home\/user\/project\/mats\/packed".*the option follow/);
  const { stdout, stderr } = await inspect("--follow", "test/fixtures", "--follow", "test/fixtures/data/bpcells");
  expect(stdout).toMatch(/matrix +csc_matrix +729/);
  expect(stderr).toMatch(/was found as ".*bpcells\/packed"/);
});
