/** Credentials and endpoints of object stores. */

import type { NamesOf } from "annarrow/core/model";

declare module "annarrow/extend" {
  interface FileSchemeOptions {
    /** Credentials and endpoints of object stores: `s3://`, `gs://`, `az://`, `hf://`. */
    readonly cloud?: CloudOptions;
  }
}

/**
 * Options for access to object stores. Without them, Node reads the environment and profile files, as the services' own
 * tools do; browsers have only the options given here. Requests carry no credentials if none are found.
 */
export interface CloudOptions {
  /** Sends requests without credentials, for public data; ignores credentials in the environment. */
  readonly anonymous?: boolean;
  readonly s3?: S3Options;
  readonly gs?: GcsOptions;
  readonly az?: AzureOptions;
  readonly hf?: HubOptions;
}

export interface S3Options {
  readonly region?: string;
  /**
   * URL of another service with the S3 API, such as `https://minio.example.org`. Buckets are then part of the URL's
   * path.
   */
  readonly endpoint?: string;
  /** Puts the bucket in a URL's path instead of its host. By default this is done only with an `endpoint`. */
  readonly pathStyle?: boolean;
  /** Accepts the charges for requests to requester-pays buckets. */
  readonly requesterPays?: boolean;
  /** Section of `~/.aws/credentials` and `~/.aws/config`, in Node. */
  readonly profile?: string;
  /** The credentials, or a function that returns them. The function is called again before an `expiration`. */
  readonly credentials?: S3Credentials | (() => Promise<S3Credentials>);
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

export interface GcsOptions {
  /** An OAuth access token, or a function that returns one. */
  readonly token?: string | (() => Promise<string>);
  /** Address of the service, or of an emulator. */
  readonly endpoint?: string;
  /** Project that pays for requests to requester-pays buckets. */
  readonly userProject?: string;
}

export interface AzureOptions {
  /** Name of the storage account. */
  readonly account?: string;
  /** A key of the account, in base64. */
  readonly key?: string;
  /** A shared access signature: `sv=…&sig=…`. */
  readonly sas?: string;
  /** An OAuth access token, or a function that returns one. */
  readonly token?: string | (() => Promise<string>);
  /** Blob endpoint of the account; `https://ACCOUNT.blob.core.windows.net` by default. */
  readonly endpoint?: string;
}

export interface HubOptions {
  readonly token?: string;
  /** Address of the service; `https://huggingface.co` by default. */
  readonly endpoint?: string;
}

const S3 = {
  ...{ region: true, endpoint: true, pathStyle: true, requesterPays: true, profile: true, credentials: true },
} as const satisfies NamesOf<S3Options>;

const GCS = { token: true, endpoint: true, userProject: true } as const satisfies NamesOf<GcsOptions>;

const AZURE = {
  ...{ account: true, key: true, sas: true, token: true, endpoint: true },
} as const satisfies NamesOf<AzureOptions>;

const HUB = { token: true, endpoint: true } as const satisfies NamesOf<HubOptions>;

export const CLOUD_OPTIONS = {
  ...{ anonymous: true, s3: S3, gs: GCS, az: AZURE, hf: HUB },
} as const satisfies NamesOf<CloudOptions>;
