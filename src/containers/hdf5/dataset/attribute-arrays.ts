/** The attributes of an object as stored arrays, for formats whose values stand in attributes. */

import { located } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";
import type { StoredArray } from "../../tree/container.js";
import type { AttributeMessage } from "../objects/attribute-message.js";
import { attributeMessages } from "../objects/attributes.js";
import { NO_FILL } from "../objects/fill-value.js";
import type { HeaderMessage } from "../objects/object-header.js";
import { SharedMessages } from "../objects/shared-messages.js";
import { hdf5Array } from "./array.js";
import type { ArrayContext } from "./array-context.js";

/**
 * @param path of the object; what errors call an attribute is its name below it.
 * @param messages the object's header.
 * @throws {InvalidDataError} where what holds the attributes is damaged.
 */
export async function attributeArrays(
  context: ArrayContext,
  path: string,
  messages: readonly HeaderMessage[],
  options?: ReadOptions,
): Promise<Map<string, () => Promise<StoredArray>>> {
  const { file, source } = context;
  const arrays = new Map<string, () => Promise<StoredArray>>();
  for (const message of await attributeMessages(file, messages, options)) {
    const element = path === "" ? message.name : `${path}/${message.name}`;
    arrays.set(message.name, () =>
      located({ source, element }, () => attributeArray(context, element, message, options)),
    );
  }
  return arrays;
}

/** The bytes of an attribute are those of a compact dataset. */
async function attributeArray(
  context: ArrayContext,
  path: string,
  message: AttributeMessage,
  options?: ReadOptions,
): Promise<StoredArray> {
  const { datatype, shape, bytes } = await message.describe(new SharedMessages(context.file), options);
  return hdf5Array(context, path, path, path, new Map(), {
    datatype,
    extent: shape,
    maximum: [],
    layout: { kind: "compact", bytes },
    filters: [],
    fill: NO_FILL,
  });
}
