export interface UpOptions {
  readonly config: string;
  readonly port?: number;
  readonly host?: string;
  /** The user of commands; absent: the user of `svc up`. */
  readonly runAs?: string;
  readonly json?: true;
}
