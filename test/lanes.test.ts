/** The scripts of .ci/run: what stands in the comment at the top of each. */

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

interface Script {
  readonly name: string;
  /** The first line. */
  readonly about: string;
  /** Scripts of .ci/setup/ that run before it. */
  readonly needed: readonly string[];
}

function scriptsOf(folder: string): Script[] {
  return readdirSync(folder).map((file) => {
    const lines = readFileSync(join(folder, file), "utf8").split("\n");
    const head = lines.slice(
      0,
      lines.findIndex((line) => !line.startsWith("#")),
    );
    const needed = head.flatMap((line) => /^# (?:needs|uses): (.*)/.exec(line)?.[1].split(" ") ?? []);
    return { name: basename(file, ".sh"), about: /^# (.*)/.exec(lines[0])?.[1] ?? "", needed };
  });
}

const folders = readdirSync(".ci/lanes").filter((name) => name !== "order.txt");
const lanes = folders.flatMap((folder) => scriptsOf(`.ci/lanes/${folder}`));
const setups = readdirSync(".ci/setup").flatMap((folder) => scriptsOf(`.ci/setup/${folder}`));
const setupNames = setups.map(({ name }) => name).sort();

test("every lane stands once in the order in which they run", () => {
  const order = readFileSync(".ci/lanes/order.txt", "utf8")
    .split("\n")
    .flatMap((line) => (line.startsWith("#") ? [] : line.split(" ").filter((name) => name !== "")));
  expect(order.sort()).toEqual(lanes.map(({ name }) => name).sort());
});

test("a name is one lane, one folder of lanes or one script of setup", () => {
  const names = [...lanes.map(({ name }) => name), ...setupNames, ...folders];
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

test("every script says in its first line what it is for", () => {
  expect([...lanes, ...setups].filter(({ about }) => !/^[A-Z]?[A-Za-z]/.test(about))).toEqual([]);
});

test("what scripts need is there, is needed by a lane, and never needs itself", () => {
  const byName = new Map(setups.map((script) => [script.name, script]));
  const needed = new Set<string>();
  const visit = (name: string, above: readonly string[]) => {
    const script = byName.get(name);
    if (script === undefined) throw new Error(`${above.at(-1)} needs ${name}, which is not in .ci/setup`);
    if (above.includes(name)) throw new Error(`${name} needs itself by way of ${above.join(", ")}`);
    needed.add(name);
    for (const one of script.needed) visit(one, [...above, name]);
  };
  for (const lane of lanes) for (const name of lane.needed) visit(name, [lane.name]);
  expect([...needed].sort()).toEqual(setupNames);
});
