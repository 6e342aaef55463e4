export interface HubCommandOptions {
  readonly port?: number;
  readonly host?: string;
  readonly printConfig?: true;
}
