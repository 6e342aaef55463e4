declare module '@20minutes/s3rver' {
  /** An S3 server on a folder. Its only credentials are S3RVER and S3RVER. */
  // biome-ignore lint/style/noDefaultExport: the module has one.
  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string }[];
    });
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
