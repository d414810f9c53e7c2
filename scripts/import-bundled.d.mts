export interface Bundle {
  readonly file: string;
  readonly url: URL;
  remove(): Promise<void>;
}

export function bundled(entry: string): Promise<Bundle>;
export function importBundled(...entries: string[]): Promise<unknown>;
