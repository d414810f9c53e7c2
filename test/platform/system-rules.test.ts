/** The rules of systems on which no test runs; the facts are those of Microsoft's and Apple's documentation. */

import { expect, test } from "vitest";
import { getSystemRules } from "../../src/platform/system-rules.node.js";

const [linux, macos, windows] = (["linux", "darwin", "win32"] as const).map((platform) => getSystemRules(platform));

test("names that are one on macOS and Windows", () => {
  const pairs = [
    ["X", "x"],
    ["Ä", "ä"],
    ["\u00e9", "e\u0301"],
    ["ß", "SS"],
    ["a", "b"],
  ];
  const equal = ({ fold }: typeof linux) => pairs.map(([one, other]) => fold(one) === fold(other));
  expect(equal(linux)).toEqual([false, false, false, false, false]);
  expect(equal(macos)).toEqual([true, true, true, true, false]);
  expect(equal(windows)).toEqual([true, true, false, false, false]);
});

test("signals that end a command, with its exit code", () => {
  expect(linux.signals).toEqual({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 });
  expect(windows.signals).toEqual({ SIGINT: 130, SIGBREAK: 130, SIGHUP: 129 });
});

test("names of Linux and macOS are free", () => {
  for (const { nameProblem } of [linux, macos])
    expect(["con", "a:b", "x."].map(nameProblem)).toEqual([null, null, null]);
});
