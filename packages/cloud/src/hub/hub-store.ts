/** Read-only files in Hugging Face repositories. Source: Hub API: `resolve` URLs, "tree" of a repository. */

import type { HttpOptions } from "annarrow";
import { InvalidDataError } from "annarrow";
import { isJsonObject } from "annarrow/core/model";
import { type CloudAddress, encodeObjectKey } from "../objects/address.js";
import type { CloudStore, ListedObject, ListedPage, ListOptions } from "../objects/cloud-store.js";
import { explainDeniedAccess } from "../objects/denied-access.js";
import type { HubOptions } from "../objects/options.js";
import { readListPages } from "../objects/pages.js";
import { createStatusError, storeHttp, storeRequest } from "../objects/request.js";
import { getBearerHeader, getRequestedUrl, withHeaders } from "../objects/token.js";

const SERVICE = "https://huggingface.co";

const REMEDY = "a private or gated repository needs HF_TOKEN, and that its conditions were accepted";

export function createHubStore(
  repository: Pick<CloudAddress, "bucket" | "revision">,
  options: HubOptions,
  http: HttpOptions,
): CloudStore {
  return new HubStore(repository, options, http);
}

class HubStore implements CloudStore {
  readonly name: string;
  readonly http: HttpOptions;
  readonly writer = null;
  readonly #base: string;
  /** Path of the repository in the API, which includes the kind even for models. */
  readonly #repository: string;
  readonly #revision: string;

  constructor(
    { bucket, revision = "main" }: Pick<CloudAddress, "bucket" | "revision">,
    { token, endpoint = SERVICE }: HubOptions,
    http: HttpOptions,
  ) {
    this.name = `hf://${bucket}`;
    this.#base = endpoint.replace(/\/+$/, "");
    this.#repository = bucket.split("/").length === 2 ? `models/${bucket}` : bucket;
    this.#revision = encodeURIComponent(revision);
    const { origin } = new URL(this.#base);
    this.http = storeHttp(http, async (input, init) => {
      const send = http.fetch ?? globalThis.fetch;
      const url = getRequestedUrl(input);
      // The files are on other servers. The hub redirects requests to them.
      const more = url.origin === origin ? await getBearerHeader(token) : {};
      return explainDeniedAccess(await send(url, withHeaders(init, more)), this.name, () => "", REMEDY);
    });
  }

  url(key: string): string {
    const repository = this.#repository.replace(/^models\//, "");
    return `${this.#base}/${encodeObjectKey(repository)}/resolve/${this.#revision}/${encodeObjectKey(key)}`;
  }

  list(prefix: string, { folders = false, signal }: ListOptions = {}): AsyncGenerator<ListedPage> {
    const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1).replace(/\/$/, "");
    const path = `/api/${encodeObjectKey(this.#repository)}/tree/${this.#revision}/${encodeObjectKey(folder)}`;
    const first = `${this.#base}${path.replace(/\/$/, "")}${folders ? "" : "?recursive=true"}`;
    return readListPages(this.name, async (mark) => {
      const answer = await storeRequest(this.http, { url: mark ?? first, source: this.name, signal });
      if (answer.status === 404) return { page: { objects: [], folders: [] }, next: null };
      if (answer.status >= 300) throw createStatusError(answer.status, "", this.name);
      const next = nextPage(answer.header("link"), new URL(this.#base).origin);
      return { page: pageOf(answer.text, prefix, this.name), next };
    });
  }
}

function pageOf(text: string, prefix: string, source: string): ListedPage {
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch (cause) {
    throw new InvalidDataError("the list of files is no JSON", { source, cause });
  }
  const objects: ListedObject[] = [];
  const folders: string[] = [];
  for (const entry of Array.isArray(entries) ? entries : []) {
    if (!isJsonObject(entry) || typeof entry.path !== "string" || !`${entry.path}/`.startsWith(prefix)) continue;
    if (entry.type === "directory") folders.push(`${entry.path}/`);
    else objects.push({ key: entry.path, size: Number(entry.size) });
  }
  return { objects, folders };
}

/**
 * Returns the next page's address from a Link header. It must be on the same server, since the request sends a token.
 */
function nextPage(link: string | null, origin: string): string | null {
  const found = /<([^<>]+)>\s*;\s*rel="next"/.exec(link ?? "")?.[1];
  return found !== undefined && URL.canParse(found) && new URL(found).origin === origin ? found : null;
}
