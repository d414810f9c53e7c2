/** A small S3 in memory, for what real servers cannot be told to do: failures, pages of two, changes in between. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { fileServer, serveFile } from "../../../test/io/sources/file-server.js";

export interface S3Request {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export interface S3Server {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** Parts of uploads that are not complete, by the uploads' names. */
  readonly uploads: Map<string, Map<number, Buffer>>;
  readonly requests: S3Request[];
  /** Answers in the server's place, where it returns true. */
  intervene: (request: S3Request, response: ServerResponse) => boolean;
}

/** The time of all objects. */
const MODIFIED = "Mon, 01 Jan 2024 00:00:00 GMT";

/** Objects on a page of a list. */
const PAGE = 2;

/** Starts a server with the bucket `bucket`, which is there until the test ends. */
export async function s3Server(objects: Readonly<Record<string, Uint8Array | string>> = {}): Promise<S3Server> {
  const server = await fileServer((incoming, response) => void answer(state, incoming, response));
  const state: S3Server = {
    endpoint: server.origin,
    objects: new Map(Object.entries(objects).map(([key, value]) => [key, Buffer.from(value)])),
    uploads: new Map(),
    requests: [],
    intervene: () => false,
  };
  return state;
}

async function answer(server: S3Server, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part);
  const url = new URL(incoming.url ?? "", server.endpoint);
  const key = decodeURIComponent(url.pathname.replace(/^\/bucket\/?/, ""));
  const { method = "", headers } = incoming;
  const request = { method, key, query: url.searchParams, headers, body: Buffer.concat(parts) };
  server.requests.push(request);
  if (server.intervene(request, response)) return;
  if (key === "" && request.method === "GET") xml(response, 200, list(server, url.searchParams));
  else if (request.method === "GET" || request.method === "HEAD") read(server, key, incoming, response);
  else write(server, request, response);
}

export function xml(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "application/xml" }).end(`<?xml version="1.0"?>${text}`);
}

export function refuse(response: ServerResponse, status: number, code: string): boolean {
  xml(response, status, `<Error><Code>${code}</Code><Message>because</Message></Error>`);
  return true;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function list(server: S3Server, query: URLSearchParams): string {
  const prefix = query.get("prefix") ?? "";
  const found = new Map<string, string>();
  for (const [key, value] of [...server.objects].sort()) {
    if (!key.startsWith(prefix)) continue;
    const slash = query.get("delimiter") === "/" ? key.indexOf("/", prefix.length) : -1;
    const folder = escaped(key.slice(0, slash + 1));
    if (slash >= 0) found.set(folder, `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`);
    else found.set(key, `<Contents><Key>${escaped(key)}</Key><Size>${value.length}</Size></Contents>`);
  }
  const from = Number(query.get("continuation-token") ?? 0);
  const more = from + PAGE < found.size;
  const next = more ? `<NextContinuationToken>${from + PAGE}</NextContinuationToken>` : "";
  const page = [...found.values()].slice(from, from + PAGE).join("");
  return `<ListBucketResult>${page}<IsTruncated>${more}</IsTruncated>${next}</ListBucketResult>`;
}

const versionOf = (value: Buffer) => `"${value.length}-${value.subarray(0, 8).toString("hex")}"`;

function read(server: S3Server, key: string, incoming: IncomingMessage, response: ServerResponse): void {
  const value = server.objects.get(key);
  if (value === undefined) refuse(response, 404, "NoSuchKey");
  else serveFile(value, incoming, response, { etag: versionOf(value), "last-modified": MODIFIED });
}

function write(server: S3Server, { method, key, query, headers, body }: S3Request, response: ServerResponse) {
  const upload = query.get("uploadId");
  const isVisible = (method === "PUT" && upload === null) || (method === "POST" && upload !== null);
  const there = server.objects.get(key);
  const isRefused =
    (headers["if-none-match"] === "*" && there !== undefined) ||
    (headers["if-match"] !== undefined && (there === undefined || versionOf(there) !== headers["if-match"]));
  if (isVisible && isRefused) return refuse(response, 412, "PreconditionFailed");
  if (method === "POST" && query.has("uploads")) {
    const id = `upload ${server.uploads.size}`;
    server.uploads.set(id, new Map());
    return xml(response, 200, `<Result><UploadId>${id}</UploadId></Result>`);
  }
  const parts = server.uploads.get(upload ?? "");
  if (upload !== null && parts === undefined) return refuse(response, 404, "NoSuchUpload");
  if (method === "PUT" && parts !== undefined) parts.set(Number(query.get("partNumber")), body);
  else if (method === "PUT") server.objects.set(key, body);
  else if (method === "POST" && parts !== undefined) {
    const all = [...parts].sort(([a], [b]) => a - b).map(([, part]) => part);
    server.objects.set(key, Buffer.concat(all));
    server.uploads.delete(upload ?? "");
    return xml(response, 200, "<Result/>");
  } else if (upload !== null) server.uploads.delete(upload);
  else server.objects.delete(key);
  response.writeHead(method === "DELETE" ? 204 : 200, { etag: versionOf(body) }).end();
}
