/** A server of the page for a test, with requests of any form. */

import { request } from "node:http";
import { pathToFileURL } from "node:url";
import { startOpenedView } from "../../src/server/opened-view.node.js";
import { ViewInputList } from "../../src/server/view-inputs.node.js";
import type { ViewServer } from "../../src/server/view-server.node.js";

export const PAGE = pathToFileURL("dist/view/");
const PROCESS = pathToFileURL("dist/cli/work-process.node.js");

export interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** The body as JSON: its last line, since a file that takes its time tells before how far it is. */
  json(): unknown;
}

export interface RunningView {
  readonly server: ViewServer;
  readonly errors: unknown[];
  send(path: string, sent?: Sent): Promise<Received>;
  /** Sends a request of the page, as the page does. */
  ask(request: object, headers?: Record<string, string>): Promise<Received>;
}

const lastLine = (body: Buffer): unknown => JSON.parse(String(body).split("\n").at(-1) ?? "");

export interface RunningOptions {
  readonly allowHost?: readonly string[];
  readonly frameOrigins?: readonly string[];
  readonly companion?: string;
}

export async function runningView(paths: readonly string[], options: RunningOptions = {}): Promise<RunningView> {
  const errors: unknown[] = [];
  const { allowHost = [], frameOrigins = [], companion = "off" } = options;
  const server = await startOpenedView(await ViewInputList.of(paths), {
    ...{ host: "127.0.0.1", port: 0, page: PAGE, allowHost, frameOrigins, workEntry: PROCESS },
    open: { companion },
    engine: { memory: 2 ** 28 },
    onError: (error) => errors.push(error),
  });
  const send = (path: string, { method = "GET", headers = {}, body }: Sent = {}) =>
    new Promise<Received>((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port: server.port, path, method, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part) => parts.push(part));
        response.on("error", reject);
        response.on("end", () => {
          const all = Buffer.concat(parts);
          const { statusCode = 0 } = response;
          resolve({ status: statusCode, headers: response.headers, body: all, json: () => lastLine(all) });
        });
      });
      sent.on("error", reject).end(body);
    });
  return {
    ...{ server, errors, send },
    ask: (asked, headers = {}) =>
      send("/ask", {
        method: "POST",
        headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(asked),
      }),
  };
}
