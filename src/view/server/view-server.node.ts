/** The server of `annarrow view`: the page's files, and the answers of a viewer to those who have the token. */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { InvalidInputError, isAnnarrowError, isCancellation } from "../../model/errors.js";
import { checkBrowserRequest } from "../../serve/http/browser-requests.node.js";
import { failureOf, HTTP_STATUS, Refusal } from "../../serve/requests/failure.js";
import { Access } from "../../serve/requests/tokens.node.js";
import { parseViewRequest } from "../view-request.js";
import { Viewer, type ViewerOptions } from "../viewer.js";

export interface ViewServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Folder of the built page. */
  readonly page: URL;
}

export interface ViewServer {
  /** Address of the page, with the token behind the `#`. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startViewServer(viewer: ViewerOptions, options: ViewServerOptions): Promise<ViewServer> {
  const token = randomBytes(24).toString("base64url");
  const access = new Access(token);
  const answering = new Viewer(viewer);
  const server = createServer((request, response) => {
    void answerTo(request, response);
  });
  server.listen({ port: options.port, host: options.host });
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a server without a port");

  async function answerTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    response.on("error", () => undefined);
    try {
      const { headers, socket, method, url = "/" } = request;
      checkBrowserRequest(
        { headers, localAddress: socket.localAddress },
        { host: options.host, allowHost: [], cors: [], hasToken: false },
      );
      response.setHeader("x-content-type-options", "nosniff");
      response.setHeader("referrer-policy", "no-referrer");
      if (method === "POST" && url === "/ask") return await asked(request, response, gone.signal);
      await asset(url, response);
    } catch (error) {
      if (isCancellation(error) || response.headersSent) return void response.destroy();
      const { reason, message } = failureOf(error);
      response.statusCode = HTTP_STATUS[reason];
      response.setHeader("content-type", "application/json");
      const tag = isAnnarrowError(error) ? error.tag : error instanceof Refusal ? error.reason : "internal";
      response.end(JSON.stringify({ error: tag, message }));
    }
  }

  async function asked(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    access.check(request.headers.authorization);
    const answer = await answering.answer(parseViewRequest(JSON.parse(await bodyOf(request))), signal);
    if (answer.kind === "json") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answer.value));
      return;
    }
    response.setHeader("content-type", "application/vnd.apache.arrow.stream");
    for await (const chunk of answer.chunks) {
      if (!response.write(chunk)) await once(response, "drain", { signal });
    }
    response.end();
  }

  async function asset(url: string, response: ServerResponse): Promise<void> {
    const path = url === "/" ? "index.html" : /^\/(assets\/[\w.-]+)$/.exec(url)?.[1];
    if (path === undefined) throw new Refusal("not-found", "there is no such file");
    const bytes = await readFile(new URL(path, options.page)).catch(() => {
      throw new Refusal("not-found", "there is no such file");
    });
    const types: Record<string, string> = {
      html: "text/html; charset=utf-8",
      js: "text/javascript; charset=utf-8",
      css: "text/css; charset=utf-8",
      wasm: "application/wasm",
    };
    response.setHeader("content-type", types[path.split(".").at(-1) ?? ""] ?? "application/octet-stream");
    response.setHeader(
      "content-security-policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    response.end(bytes);
  }

  return {
    url: `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${address.port}/#token=${token}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await answering.close();
    },
  };
}

const MOST_BODY = 2 ** 24;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MOST_BODY) throw new InvalidInputError(`the request has more than ${MOST_BODY} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
