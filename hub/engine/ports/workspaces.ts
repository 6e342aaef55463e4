/** What is counted of a workspace's executions on the hosted runner. */
export interface HostedUse {
  readonly used: number;
  readonly running: number;
}

export interface WorkspaceUse {
  /** Those that were accepted from this moment on, without what never ran. */
  hostedSince(workspaceId: string, sinceMs: number): Promise<HostedUse>;
}
