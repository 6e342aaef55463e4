/** The object store of the artifacts: any one that speaks the protocol of S3. */
export interface S3Settings {
  /** The origin, such as `https://s3.eu-central-1.amazonaws.com`. The bucket is the first part of the path. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** Empty, or a path with `/` at its end. All objects of this hub begin with it. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** `key`: the store encrypts each object with a key of this hub, which it does not keep. `off`: as the bucket is set. */
  readonly encryption: (typeof S3_ENCRYPTIONS)[number];
}

export const S3_ENCRYPTIONS = ['key', 'off'] as const;
