/** Writes objects to Google Cloud Storage. Source: its JSON API: Objects: insert, "Resumable uploads". */

import { InvalidDataError } from "annarrow";
import { ConditionError } from "annarrow/core/io";
import { parseJsonObject } from "annarrow/core/model";
import type { CloudUpload, CloudWriter, PutOptions } from "../objects/cloud-store.js";
import type { StoreAnswer, StoreRequest } from "../objects/request.js";

/** Size of a part in bytes, a multiple of 256 KiB. The parts of an upload are sent sequentially. */
const PART_BYTES = 1 << 24;

/** Status code: the service has received a part and expects the next one. */
const RESUME = 308;

/** Status code of the response to cancelling an upload. */
const CANCELLED = 499;

const FAILED = 412;

interface Bucket {
  readonly name: string;
  /** Address of the service. */
  readonly base: string;
  /** Name of the bucket, encoded for a URL. */
  readonly bucket: string;
  request(request: Omit<StoreRequest, "source">, allowed?: readonly number[]): Promise<StoreAnswer>;
}

/** Writes objects of a bucket. Versions are generations. */
export function createGcsWriter({ name, base, bucket, request }: Bucket): CloudWriter {
  const insert = (kind: string, key: string, { ifAbsent, ifVersion }: PutOptions) => {
    const query = new URLSearchParams({ uploadType: kind, name: key });
    const generation = ifAbsent ? "0" : ifVersion;
    if (generation !== undefined) query.set("ifGenerationMatch", generation);
    return `${base}/upload/storage/v1/b/${bucket}/o?${query}`;
  };
  const conditional = async (asked: Omit<StoreRequest, "source">, allowed: readonly number[] = []) => {
    const answer = await request(asked, [FAILED, ...allowed]);
    if (answer.status === FAILED) throw new ConditionError("the object has another generation");
    return answer;
  };
  const headers = { "content-type": "application/octet-stream" };
  const put = async (key: string, bytes: Uint8Array<ArrayBuffer>, options: PutOptions = {}) => {
    const { signal } = options;
    const url = insert("media", key, options);
    const { text } = await conditional({ method: "POST", url, headers, body: bytes, signal });
    return String(parseJsonObject(text)?.generation ?? "");
  };
  const begin = async (key: string, options: PutOptions): Promise<string> => {
    const { signal } = options;
    const { header } = await conditional({ method: "POST", url: insert("resumable", key, options), headers, signal });
    const session = header("location");
    if (session === null) throw new InvalidDataError("the service began no upload", { source: name });
    return session;
  };
  return {
    versionHeader: "x-goog-generation",
    put,
    async upload(key, options = {}): Promise<CloudUpload> {
      const { signal } = options;
      let session: string | null = null;
      let sent = 0;
      const send = async (bytes: Uint8Array<ArrayBuffer>, total: number | null) => {
        session ??= await begin(key, options);
        const range = bytes.length === 0 ? "*" : `${sent}-${sent + bytes.length - 1}`;
        const sized = { ...headers, "content-range": `bytes ${range}/${total ?? "*"}` };
        const allowed = total === null ? [RESUME] : [];
        await conditional({ method: "PUT", url: session, headers: sized, body: bytes, signal }, allowed);
        sent += bytes.length;
      };
      return {
        atOnce: 1,
        partBytes: () => PART_BYTES,
        part: (_, bytes) => send(bytes, null),
        async complete(last) {
          if (session === null) await put(key, last, options);
          else await send(last, sent + last.length);
          session = null;
        },
        async abort() {
          if (session !== null) await request({ method: "DELETE", url: session }, [CANCELLED, 404, 410]);
          session = null;
        },
      };
    },
    async delete(key, { signal } = {}) {
      const url = `${base}/storage/v1/b/${bucket}/o/${encodeURIComponent(key)}`;
      await request({ method: "DELETE", url, signal }, [404]);
    },
  };
}
