/** Credentials and addresses of object stores. */

import type { NamesOf } from "../../model/option-names.js";

/**
 * How object stores are reached. Without it, Node looks in the environment and in profile files, as the services' own
 * tools do; pages know only what is given here. Requests carry no credentials where none are found.
 */
export interface CloudOptions {
  /** Requests without credentials, for public data; whatever the environment holds is left alone. */
  readonly anonymous?: boolean;
  readonly s3?: S3Options;
  readonly gs?: GcsOptions;
  readonly az?: AzureOptions;
  readonly hf?: HubOptions;
}

export interface S3Options {
  readonly region?: string;
  /** URL of another service that speaks S3, such as `https://minio.example.org`; buckets are then a part of its path. */
  readonly endpoint?: string;
  /** Whether the bucket stands in the path of a URL, not in its host; by default with an `endpoint` alone. */
  readonly pathStyle?: boolean;
  /** Whether you pay for requests to buckets that ask for it. */
  readonly requesterPays?: boolean;
  /** Section of `~/.aws/credentials` and `~/.aws/config`, in Node. */
  readonly profile?: string;
  /** A function is asked again before credentials with an `expiration` expire. */
  readonly credentials?: S3Credentials | (() => Promise<S3Credentials>);
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

export interface GcsOptions {
  /** An OAuth access token, or a function that gives one. */
  readonly token?: string | (() => Promise<string>);
  /** Address of the service, or of an emulator. */
  readonly endpoint?: string;
  /** Project that pays for requests to buckets that ask for it. */
  readonly userProject?: string;
}

export interface AzureOptions {
  /** Name of the storage account. */
  readonly account?: string;
  /** A key of the account, in base64. */
  readonly key?: string;
  /** A shared access signature: `sv=…&sig=…`. */
  readonly sas?: string;
  /** An OAuth access token, or a function that gives one. */
  readonly token?: string | (() => Promise<string>);
  /** Address of the account's blobs; `https://ACCOUNT.blob.core.windows.net` by default. */
  readonly endpoint?: string;
}

export interface HubOptions {
  readonly token?: string;
  /** `https://huggingface.co` by default. */
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

/** The names of the options. */
export const CLOUD_OPTIONS = {
  ...{ anonymous: true, s3: S3, gs: GCS, az: AZURE, hf: HUB },
} as const satisfies NamesOf<CloudOptions>;
