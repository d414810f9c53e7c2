/**
 * Checks signatures of requests to S3 by the specification alone. Source: Amazon S3 API Reference, "Authenticating Requests:
 * Using the Authorization Header (AWS Signature Version 4)".
 */

import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";

const HEADER =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Whether a request is signed with this key, and for its host, path, query and all headers that it names. */
export function isSigned(request: IncomingMessage, accessKeyId: string, secretAccessKey: string): boolean {
  const [, id, date, region, names, signature] = HEADER.exec(request.headers.authorization ?? "") ?? [];
  const signed = names?.split(";") ?? [];
  if (id !== accessKeyId || !signed.includes("host") || !signed.includes("x-amz-date")) return false;
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const one = (name: string) => String(request.headers[name] ?? "").trim();
  const canonical = [
    request.method,
    path,
    query.split("&").sort().join("&"),
    ...signed.map((name) => `${name}:${one(name)}`),
    "",
    names,
    one("x-amz-content-sha256"),
  ].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const hash = createHash("sha256").update(canonical).digest("hex");
  const text = ["AWS4-HMAC-SHA256", one("x-amz-date"), scope, hash].join("\n");
  const hmac = (key: string | Buffer, value: string) => createHmac("sha256", key).update(value).digest();
  const key = [date, region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, text).toString("hex") === signature;
}
