/** The place of a companion on the web: beside its file, under the address of the file and `.annarrow`. */

import { isAnnarrowError } from "../model/errors.js";
import type { ReadOptions, Source } from "../sources/source.js";
import { type CompanionPlace, openedPlace } from "./place.js";

/** The end of a companion's name, beside its file. */
export const SUFFIX = ".annarrow";

/** Opens the store at an address; with one attempt where it may not be there. */
export type OpenStore = (url: string, once: boolean, options: ReadOptions) => Promise<Source>;

/** The places beside a file on the web; none for other inputs, and for stores, whose versions nothing tells apart. */
export function webPlaces(source: Source, openStore: OpenStore): readonly CompanionPlace[] {
  if (source.kind !== "bytes" || source.stamp === undefined || !/^[a-z][a-z0-9+.-]*:\/\//i.test(source.name)) return [];
  if (!URL.canParse(source.name)) return [];
  const url = new URL(source.name);
  url.pathname += `${SUFFIX}/`;
  const name = url.href;
  const opened = async (isFirst: boolean, options: ReadOptions) => {
    const store = await openStore(name, isFirst, options);
    return store.kind === "keys" ? store : null;
  };
  return [
    {
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
    },
  ];
}
