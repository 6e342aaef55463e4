export interface UpOptions {
  readonly config: string;
  readonly port?: number;
  readonly host?: string;
  readonly json?: true;
}
