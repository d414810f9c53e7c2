/** Writes Azure block blobs. Source: Azure Blob Storage REST API: Put Blob, Put Block, Put Block List. */

import { ConditionError } from "annarrow/core/io";
import type { CloudUpload, CloudWriter, PutOptions } from "../objects/cloud-store.js";
import type { StoreAnswer, StoreRequest } from "../objects/request.js";

/** Size in bytes of the first blocks. A blob has at most 50,000 blocks. */
const BLOCK_BYTES = 1 << 23;

/** Number of blocks after which the block size doubles. */
const DOUBLING = 5000;

/** Number of blocks that are uploaded concurrently. */
const AT_ONCE = 4;

/** Status codes: the blob already exists; the blob has another version. */
const [EXISTS, FAILED] = [409, 412];

interface Container {
  url(key: string): string;
  request(request: Omit<StoreRequest, "source">, allowed?: readonly number[]): Promise<StoreAnswer>;
}

/** Writes blobs of a container. Versions are ETags. Azure removes the blocks of an unfinished upload after a week. */
export function createAzureWriter({ url, request }: Container): CloudWriter {
  const conditional = async (asked: Omit<StoreRequest, "source">, { ifAbsent, ifVersion, signal }: PutOptions) => {
    const headers = {
      ...asked.headers,
      ...(ifAbsent ? { "if-none-match": "*" } : {}),
      ...(ifVersion === undefined ? {} : { "if-match": ifVersion }),
    };
    const isConditional = ifAbsent || ifVersion !== undefined;
    const answer = await request({ ...asked, headers, signal }, isConditional ? [EXISTS, FAILED, 404] : []);
    if (answer.status < 300) return answer.header("etag") ?? "";
    throw new ConditionError(`the service answered ${answer.status}`);
  };
  const put = (key: string, bytes: Uint8Array<ArrayBuffer>, options: PutOptions = {}) => {
    const headers = { "x-ms-blob-type": "BlockBlob", "content-type": "application/octet-stream" };
    return conditional({ method: "PUT", url: url(key), headers, body: bytes }, options);
  };
  return {
    versionHeader: "etag",
    put,
    async upload(key, options = {}): Promise<CloudUpload> {
      // Two uploads of the same blob must not mix their blocks.
      const own = crypto.randomUUID();
      const idOf = (index: number) => btoa(`${own}-${String(index).padStart(6, "0")}`);
      let count = 0;
      const part = async (index: number, bytes: Uint8Array<ArrayBuffer>) => {
        count = Math.max(count, index + 1);
        const query = new URLSearchParams({ comp: "block", blockid: idOf(index) });
        const { signal } = options;
        await request({ method: "PUT", url: `${url(key)}?${query}`, body: bytes, signal });
      };
      return {
        atOnce: AT_ONCE,
        partBytes: (index) => BLOCK_BYTES * 2 ** Math.floor(index / DOUBLING),
        part,
        async complete(last) {
          if (count === 0) {
            await put(key, last, options);
            return;
          }
          if (last.length > 0) await part(count, last);
          const blocks = Array.from({ length: count }, (_, index) => `<Latest>${idOf(index)}</Latest>`);
          const body = new TextEncoder().encode(`<BlockList>${blocks.join("")}</BlockList>`);
          const headers = { "x-ms-blob-content-type": "application/octet-stream" };
          await conditional({ method: "PUT", url: `${url(key)}?comp=blocklist`, headers, body }, options);
        },
        abort: async () => undefined,
      };
    },
    async delete(key, { signal } = {}) {
      await request({ method: "DELETE", url: url(key), signal }, [404]);
    },
  };
}
