/** The description of a dataset in its header. */

import { MESSAGE } from "../../objects/object-header.js";
import {
  encodeDataspaceMessage,
  encodeLayoutMessage,
  fillValueMessage,
  type WrittenLayout,
} from "./dataset-messages.js";
import type { WrittenMessage } from "./object-header.js";

export interface DatasetDescription {
  /** Null for a null dataspace. */
  readonly shape: readonly number[] | null;
  /** The dimensions without a limit. */
  readonly extendable: readonly number[];
  readonly datatype: Uint8Array;
  /** True if elements refer to a heap. */
  readonly variable: boolean;
  /** The filter message; null if there are no filters. */
  readonly filters: Uint8Array | null;
  readonly layout: WrittenLayout;
}

export function encodeDatasetMessages(description: DatasetDescription): WrittenMessage[] {
  const { shape, extendable, datatype, variable, filters, layout } = description;
  return [
    { type: MESSAGE.dataspace, body: encodeDataspaceMessage(shape, extendable) },
    { type: MESSAGE.datatype, constant: true, body: datatype },
    { type: MESSAGE.fillValue, constant: true, body: fillValueMessage(layout.kind, variable) },
    ...(filters === null ? [] : [{ type: MESSAGE.filterPipeline, constant: true, body: filters }]),
    { type: MESSAGE.layout, body: encodeLayoutMessage(layout) },
  ];
}
