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
}
