/** The shell of `annarrow query` on a terminal, which `script` of util-linux makes. */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";

const state = mkdtempSync(join(tmpdir(), "annarrow-shell-"));
beforeAll(ensureBuilt, 120_000);
afterAll(() => rmSync(state, { recursive: true }));

const hasScript = spawnSync("script", ["--version"]).stdout?.includes("util-linux") ?? false;

/** A shell that gets keys, and whose screen is read. */
class Terminal {
  readonly #child;
  #screen = "";
  readonly ended: Promise<number | null>;

  constructor(engine: string) {
    // `exec`: a shell between, as dash, would end with 130 after Ctrl-C whatever its command does.
    const command = `exec "${process.execPath}" dist/cli/main.js query examples/pbmc.h5ad --engine ${engine} --format csv`;
    this.#child = spawn("script", ["-qec", command, "/dev/null"], {
      env: { ...process.env, SHELL: "/bin/sh", XDG_STATE_HOME: state },
    });
    this.#child.stdout.on("data", (text) => {
      this.#screen += text;
    });
    this.ended = new Promise((resolve) => this.#child.on("close", resolve));
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Waits for a text behind the one that was waited for before. */
  async sees(text: string | RegExp): Promise<void> {
    for (let waited = 0; waited < 30_000; waited += 20) {
      const found = typeof text === "string" ? this.#screen.indexOf(text) : this.#screen.search(text);
      if (found !== -1) {
        this.#screen = this.#screen.slice(found + (typeof text === "string" ? text.length : 1));
        return;
      }
      await sleep(20);
    }
    throw new Error(`no ${text} on the screen:\n${this.#screen}`);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

const SLOW = "select count(*) > 0 as many from range(30000) a, range(10000) b where a.range % 7 = b.range % 11;";
const ENDLESS = "select count(*) from range(100000000) a, range(100000000) b where a.range % 7 = b.range % 11;";

describe.runIf(hasScript)("the shell", () => {
  test.each(["native", "wasm"])("answers, completes, cancels and ends, %s", { timeout: 60_000 }, async (engine) => {
    const terminal = new Terminal(engine);
    try {
      await terminal.sees("annarrow> ");
      terminal.type("select count(*) as n\r");
      await terminal.sees("...> ");
      terminal.type("from obs;\r");
      await terminal.sees(/n\r\n2700\r\n/);
      await terminal.sees("annarrow> ");
      terminal.type("select min(n_gen");
      await terminal.sees("n_gen");
      terminal.type("\t");
      await terminal.sees("es");
      terminal.type(") > 0 as g from obs;\r");
      await terminal.sees(/g\r\ntrue\r\n/);
      terminal.type("select nope from obs;\r");
      await terminal.sees("obs has");
      await terminal.sees("annarrow> ");
      terminal.type(`${ENDLESS}\r`);
      await terminal.sees(";");
      await sleep(1500);
      terminal.type("\x03");
      await terminal.sees("cancelled");
      await terminal.sees("annarrow> ");
      terminal.type("select 41 + 1 as n;\r");
      await terminal.sees(/n\r\n42\r\n/);
      await terminal.sees("annarrow> ");
      terminal.type("\x04");
      expect(await terminal.ended).toBe(0);
      expect(readFileSync(join(state, "annarrow/query-history"), "utf8")).toContain("select 41 + 1 as n;\n");
    } finally {
      terminal.kill();
    }
  });

  test.each(["native", "wasm"])("ends after a statement during which Ctrl-D was typed, %s", async (engine) => {
    const terminal = new Terminal(engine);
    try {
      await terminal.sees("annarrow> ");
      terminal.type(`${SLOW}\r`);
      await terminal.sees("% 11;");
      await sleep(300);
      terminal.type("\x04");
      await terminal.sees(/many\r\ntrue\r\n/);
      expect(await terminal.ended).toBe(0);
    } finally {
      terminal.kill();
    }
  });
});
