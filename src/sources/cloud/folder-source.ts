/** Reads a folder of an object store: the keys below a prefix. */

import type { CloudStore } from "../../cloud/objects/cloud-store.js";
import { InvalidDataError } from "../../model/errors.js";
import { httpSource } from "../http/http-store.js";
import { prefixSegments } from "../key.js";
import type { KeyValueSource, WebPlan } from "../source.js";

/** Most names of a folder: more are no folder of a store that is opened. */
const MOST_NAMES = 1_000_000;

export interface FolderOptions {
  /** Name in errors. */
  readonly name: string;
  /** Plan by which a worker opens the folder again; null where it cannot. */
  readonly plan: WebPlan | null;
}

/** The keys below `folder`, which has no slash at its end; all keys of the store below `""`. */
export function folderSource(store: CloudStore, folder: string, { name, plan }: FolderOptions): KeyValueSource {
  const values = httpSource(store.url(folder), { ...store.http, name, plan });
  return {
    kind: "keys",
    name,
    isRemote: true,
    plan: plan ?? undefined,
    get: (key, options) => values.get(key, options),
    getRanges: (key, ranges, options) => values.getRanges(key, ranges, options),
    async size(key, options) {
      return values.size?.(key, options);
    },
    async stamp(key, options) {
      return values.stamp?.(key, options);
    },
    async list(prefix, options) {
      const segments = [...(folder === "" ? [] : [folder]), ...prefixSegments(prefix)];
      const below = segments.map((segment) => `${segment}/`).join("");
      const names = new Set<string>();
      for await (const page of store.list(below, { folders: true, signal: options?.signal })) {
        for (const key of [...page.objects.map((object) => object.key), ...page.folders]) {
          const child = key.slice(below.length).replace(/\/$/, "");
          // A key that ends with a slash stands for the folder itself.
          if (child !== "") names.add(child);
        }
        if (names.size > MOST_NAMES) {
          throw new InvalidDataError(`more than ${MOST_NAMES} keys and folders`, { source: name, element: prefix });
        }
      }
      return [...names];
    },
    close: () => values.close(),
  };
}
