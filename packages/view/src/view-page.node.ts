/**
 * `view` shows files in a browser page, which notebooks embed in an iframe. The command `annarrow view` serves the page
 * in a separate process, which ends with this one.
 */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { InvalidInputError } from "annarrow";
import { type Displayed, escapeHtml, INSPECT, JUPYTER } from "annarrow/core/api";
import { checkOptions, closeAfterUse, type NamesOf } from "annarrow/core/model";

export interface ViewPageOptions {
  /** The port for the page; by default any free port. */
  readonly port?: number;
  /** Height of the frame in notebooks, in pixels; 700 by default. */
  readonly height?: number;
  /** Origins whose pages may show this page in a frame; by default notebooks on this machine. */
  readonly frameOrigins?: readonly string[];
  /** Further command-line options, such as `["--companion", "off"]`. */
  readonly options?: readonly string[];
}

const VIEW_OPTIONS = {
  ...{ port: true, height: true, frameOrigins: true, options: true },
} as const satisfies NamesOf<ViewPageOptions>;

/** Notebooks of this machine. */
const NOTEBOOKS = ["http://localhost:*", "http://127.0.0.1:*"];
const HEIGHT = 700;

type Server = ChildProcessByStdio<Writable, Readable, Readable>;

/** A page that is served until it is closed. Notebooks show the page in a frame. */
export class ViewPage {
  /** The address for a browser. It contains the access token that every request needs. */
  readonly url: string;
  readonly #server: Server;
  readonly #height: number;

  constructor(url: string, server: Server, height: number) {
    this.url = url;
    this.#server = server;
    this.#height = height;
  }

  /** Stops the server of the page. */
  async close(): Promise<void> {
    if (this.#server.exitCode !== null || this.#server.signalCode !== null) return;
    const ended = once(this.#server, "exit");
    this.#server.ref();
    this.#server.stdin.end();
    await ended;
  }

  declare [Symbol.asyncDispose]: () => Promise<void>;

  [JUPYTER](): Displayed {
    const style = "border: 0";
    const frame = `<iframe src="${escapeHtml(this.url)}" title="annarrow" width="100%" height="${this.#height}" style="${style}"></iframe>`;
    return { "text/plain": this.url, "text/html": frame };
  }

  [INSPECT](): string {
    return `page ${this.url}`;
  }
}

closeAfterUse(ViewPage.prototype);

/** Returns the published package's command-line file, wherever this module is located in the package. */
function findCommand(): string {
  return join(dirname(createRequire(import.meta.url).resolve("annarrow/package.json")), "dist/cli/main.js");
}

/**
 * Starts a page that shows these files.
 * @param command the command-line file that serves the page; by default the published package's file.
 */
export async function viewPage(inputs: readonly string[], given: ViewPageOptions, command?: string): Promise<ViewPage> {
  checkOptions(given, "view", VIEW_OPTIONS);
  const { port = 0, height = HEIGHT, frameOrigins = NOTEBOOKS, options = [] } = given;
  if (inputs.length === 0) throw new InvalidInputError("give a file, a folder or a URL");
  const own = ["--until-eof", "--port", String(port), ...frameOrigins.flatMap((one) => ["--frame-origin", one])];
  // Notebooks may run in Deno, but the server needs Node.js.
  const node = "deno" in process.versions ? "node" : process.execPath;
  const server = spawn(node, [command ?? findCommand(), "view", ...own, ...options, "--", ...inputs], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const url = await addressOf(server);
  // A program that does not close the page can still exit. This also ends the page.
  server.unref();
  return new ViewPage(url, server, height);
}

/** @throws {InvalidInputError} with the command's message if the command exits without printing an address. */
async function addressOf(server: Server): Promise<string> {
  let problem = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => {
    problem += text;
  });
  const ended = once(server, "close");
  const line = await Promise.race([
    once(createInterface(server.stdout), "line").then(([text]) => String(text)),
    ended.then(() => null),
  ]);
  if (line !== null) return line;
  throw new InvalidInputError(problem.trim().replace(/^annarrow: /, "") || "the server of the page has ended");
}
