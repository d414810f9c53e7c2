/** The location of a companion on the web, next to its file: the file's address with `.annarrow` appended. */

import { toDisplayUrl } from "../../io/http/shown-url.js";
import { findFileScheme } from "../../io/schemes/registry.js";
import type { ReadOptions, Source } from "../../io/sources/source.js";
import { isAnnarrowError } from "../../model/errors.js";
import { type GeneIndexLocation, openCompanionFolder } from "./location.js";

/** Suffix that is appended to a file's name for the companion next to it. */
export const SUFFIX = ".annarrow";

/** Opens the store at an address. With `once`, it makes only one attempt, because the store may not exist. */
export type OpenStore = (url: string, once: boolean, options: ReadOptions) => Promise<Source>;

/**
 * Returns the address next to a file; null if the file has no address. Keys in object stores are used unchanged. A
 * signature in the query is kept, because some signatures are valid for all addresses with the same prefix.
 */
function addressBeside({ name, plan }: Source): string | null {
  if (findFileScheme(name) !== null) return `${name}${SUFFIX}/`;
  const address = plan?.kind === "web" ? plan.url : name;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  const url = new URL(address);
  url.pathname += `${SUFFIX}/`;
  return url.href;
}

/**
 * Returns the locations next to a file on the web; an empty list for any other input. Stores have no locations, since
 * their versions cannot be identified.
 */
export function listWebLocations(source: Source, openStore: OpenStore): readonly GeneIndexLocation[] {
  const address = source.kind === "bytes" && source.stamp !== undefined ? addressBeside(source) : null;
  return address === null ? [] : [createWebLocation(address, openStore)];
}

/** Creates the location for a folder at an address, which ends with a slash. */
export function createWebLocation(address: string, openStore: OpenStore): GeneIndexLocation {
  const name = toDisplayUrl(address);
  const opened = async (isFirst: boolean, options: ReadOptions) => {
    const store = await openStore(address, isFirst, options);
    return store.kind === "keys" ? store : null;
  };
  return {
    isWeb: true,
    async open(options) {
      try {
        const first = await opened(true, options);
        const found = first === null ? null : await openCompanionFolder(name, first, options);
        const store = found === null ? null : await opened(false, options);
        return found === null || store === null ? null : { name, source: store, manifest: found.manifest };
      } catch (error) {
        // Servers report missing objects in many different ways.
        if (isAnnarrowError(error)) return null;
        throw error;
      }
    },
  };
}
