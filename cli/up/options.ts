export interface UpOptions {
  readonly config: string;
  readonly port?: number;
  readonly host?: string;
  /** The user of commands; absent: who started it. */
  readonly runAs?: string;
  readonly json?: true;
}
