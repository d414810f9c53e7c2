/** Azure blobs. Source: Azure Blob Storage REST API. */

import type { HttpOptions } from "annarrow";
import { InvalidInputError } from "annarrow";
import { encodeObjectKey } from "../objects/address.js";
import type { CloudStore, CloudWriter, ListedPage, ListOptions } from "../objects/cloud-store.js";
import { explainDeniedAccess } from "../objects/denied-access.js";
import type { AzureOptions } from "../objects/options.js";
import { readListPages } from "../objects/pages.js";
import { createStatusError, type StoreAnswer, type StoreRequest, storeHttp, storeRequest } from "../objects/request.js";
import { getBearerHeader, getRequestedUrl, withHeaders } from "../objects/token.js";
import { findXmlElements, findXmlText } from "../objects/xml.js";
import { createAccountSigner, SERVICE_VERSION } from "./account-signature.js";
import { createAzureWriter } from "./azure-writer.js";

const REMEDY =
  "set AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN; for public data try --anonymous";

/**
 * Blobs of `container`.
 * @throws {InvalidInputError} if neither the address nor the options name the account.
 */
export function createAzureStore(container: string, options: AzureOptions, http: HttpOptions): CloudStore {
  return new AzureStore(container, options, http);
}

class AzureStore implements CloudStore {
  readonly name: string;
  readonly http: HttpOptions;
  readonly writer: CloudWriter;
  readonly #base: string;

  constructor(container: string, options: AzureOptions, http: HttpOptions) {
    const { account, key, sas, token } = options;
    this.name = `az://${container}`;
    if (account === undefined && options.endpoint === undefined) {
      throw new InvalidInputError(
        "the storage account is not known: set AZURE_STORAGE_ACCOUNT, or write abfss://container@account.dfs.core.windows.net/…",
        { source: this.name },
      );
    }
    const endpoint = options.endpoint ?? `https://${account}.blob.core.windows.net`;
    this.#base = `${endpoint.replace(/\/+$/, "")}/${encodeURIComponent(container)}`;
    const signature =
      sas === undefined && account !== undefined && key !== undefined
        ? createAccountSigner(account, key)
        : async () => new URLSearchParams(sas);
    this.http = storeHttp(http, async (input, init) => {
      const send = http.fetch ?? globalThis.fetch;
      const url = getRequestedUrl(input);
      for (const [name, value] of await signature()) url.searchParams.set(name, value);
      const signed = withHeaders(init, { "x-ms-version": SERVICE_VERSION, ...(await getBearerHeader(token)) });
      return explainDeniedAccess(await fromStart(send, url, signed), this.name, azureReason, REMEDY);
    });
    const request = (asked: Omit<StoreRequest, "source">, allowed?: readonly number[]) => this.#request(asked, allowed);
    this.writer = createAzureWriter({ url: (name) => this.url(name), request });
  }

  url(key: string): string {
    return `${this.#base}/${encodeObjectKey(key)}`;
  }

  list(prefix: string, { folders = false, signal }: ListOptions = {}): AsyncGenerator<ListedPage> {
    return readListPages(this.name, async (mark) => {
      const query = new URLSearchParams({ restype: "container", comp: "list", prefix });
      if (folders) query.set("delimiter", "/");
      if (mark !== null) query.set("marker", mark);
      const { text } = await this.#request({ url: `${this.#base}?${query}`, signal });
      const objects = findXmlElements(text, "Blob").map((blob) => ({
        key: nameIn(blob),
        size: Number(findXmlText(blob, "Content-Length")),
      }));
      const below = findXmlElements(text, "BlobPrefix").map(nameIn);
      return { page: { objects, folders: below }, next: findXmlText(text, "NextMarker") || null };
    });
  }

  async #request(request: Omit<StoreRequest, "source">, allowed: readonly number[] = []): Promise<StoreAnswer> {
    const answer = await storeRequest(this.http, { source: this.name, ...request });
    if (answer.status < 300 || allowed.includes(answer.status)) return answer;
    throw createStatusError(answer.status, azureReason(answer.text), this.name);
  }
}

/** Sends a request. Azure does not support suffix ranges (`bytes=-5`), so they first need a request for the size. */
async function fromStart(send: typeof fetch, url: URL, init: RequestInit): Promise<Response> {
  const suffix = /^bytes=-(\d+)$/.exec(new Headers(init.headers).get("range") ?? "");
  if (suffix === null) return send(url, init);
  const { range: _, ...headers } = Object.fromEntries(new Headers(init.headers));
  const head = await send(url, { ...init, headers, method: "HEAD" });
  const size = Number(head.headers.get("content-length"));
  if (!head.ok) return head;
  if (size === 0) return send(url, { ...init, headers });
  const start = Math.max(0, size - Number(suffix[1]));
  return send(url, withHeaders(init, { range: `bytes=${start}-${size - 1}` }));
}

/** Returns the name of a blob. Characters that XML cannot represent are encoded as in a URL. */
function nameIn(xml: string): string {
  const name = findXmlText(xml, "Name") ?? "";
  return /<Name\s+Encoded="true"/.test(xml) ? decodeURIComponent(name) : name;
}

/** Returns the code of an error. Its message describes the request, and may repeat a signature. */
function azureReason(text: string): string {
  return findXmlText(text, "Code") ?? "";
}
