/** The part of `io/` that packages can use: `annarrow/core/io`. */

export { type HttpRequest, HttpResponse, sendHttpRequest } from "./http/http-exchange.js";
export { runWithRetry, TransientError } from "./http/retry.js";
export { ACCESS_OPTIONS } from "./schemes/registry.js";
export { ConditionError, type FolderEntry, type FolderTree } from "./schemes/remote-output.js";
export type { RemoteDataset, RemoteOutputOptions } from "./schemes/scheme.js";
export { createHttpSource } from "./sources/http/http-store.js";
export { openRemoteFile } from "./sources/http/remote-file.js";
export { detectKindByName } from "./sources/http/url.js";
export { createWebPlan } from "./sources/http/web-plan.js";
export { splitPrefixSegments } from "./sources/key.js";
export { createBytesSource } from "./sources/memory.js";
export { createPickedFilesSource, createPickedFolderSource, type FolderHandle } from "./sources/picked-folder.js";
export type { Source, WebPlan } from "./sources/source.js";
export { Slots } from "./targets/slots.js";
export { ROOT_DOCUMENTS } from "./targets/store.js";
export type { ByteTarget } from "./targets/target.js";
