/** The place of a companion on the web: beside its file, under the address of the file and `.annarrow`. */

import { isCloudAddress } from "../cloud/objects/address.js";
import { shownUrl } from "../http/shown-url.js";
import { isAnnarrowError } from "../model/errors.js";
import type { ReadOptions, Source } from "../sources/source.js";
import { type CompanionPlace, openedPlace } from "./place.js";

/** The end of a companion's name, beside its file. */
export const SUFFIX = ".annarrow";

/** Opens the store at an address; with one attempt where it may not be there. */
export type OpenStore = (url: string, once: boolean, options: ReadOptions) => Promise<Source>;

/**
 * The address beside a file; null where the file has none. A key of an object store is taken as it stands. A signature in the
 * query goes along: some are for all addresses that begin as the file's does.
 */
function addressBeside({ name, plan }: Source): string | null {
  if (isCloudAddress(name)) return `${name}${SUFFIX}/`;
  const address = plan?.kind === "web" ? plan.url : name;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  const url = new URL(address);
  url.pathname += `${SUFFIX}/`;
  return url.href;
}

/** The places beside a file on the web; none for other inputs, and for stores, whose versions nothing tells apart. */
export function webPlaces(source: Source, openStore: OpenStore): readonly CompanionPlace[] {
  const address = source.kind === "bytes" && source.stamp !== undefined ? addressBeside(source) : null;
  return address === null ? [] : [webPlace(address, openStore)];
}

/** The folder at an address, which ends with a slash. */
export function webPlace(address: string, openStore: OpenStore): CompanionPlace {
  const name = shownUrl(address);
  const opened = async (isFirst: boolean, options: ReadOptions) => {
    const store = await openStore(address, isFirst, options);
    return store.kind === "keys" ? store : null;
  };
  return {
    isWeb: true,
    async open(options) {
      try {
        const first = await opened(true, options);
        const found = first === null ? null : await openedPlace(name, first, options);
        const store = found === null ? null : await opened(false, options);
        return found === null || store === null ? null : { name, source: store, manifest: found.manifest };
      } catch (error) {
        // Servers answer in many ways that something is not there.
        if (isAnnarrowError(error)) return null;
        throw error;
      }
    },
  };
}
