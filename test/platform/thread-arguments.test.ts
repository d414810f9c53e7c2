import { expect, test } from "vitest";
import { getThreadArguments } from "../../src/platform/thread-arguments.node.js";

test("threads are started as the process was, but not as what it was given to evaluate", () => {
  const given = ["--max-old-space-size=4096", "--input-type=module", "--enable-source-maps", "--input-type", "module"];
  expect(getThreadArguments(given)).toEqual(["--max-old-space-size=4096", "--enable-source-maps"]);
});
