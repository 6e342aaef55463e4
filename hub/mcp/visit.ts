import type { Caller } from '@svc/core/execution/access';
import type { ToolSelection } from '@svc/core/mcp/tool-selection';
import type { Workspace } from '../accounts/account-ports.ts';

/** A request of an agent: the principal, the workspace, and the tools that its URL selects. */
export interface Visit {
  readonly caller: Exclude<Caller, { kind: 'anonymous' }>;
  readonly workspace: Workspace;
  /** The username in the address; undefined: the address names none. */
  readonly username: string | undefined;
  readonly selection: ToolSelection;
  readonly request: Request;
  /** Identifies the principal again, from the same credential. */
  readonly identifyAgain: () => Promise<Caller>;
}

/** The principal of a request. Data sealed for one principal is useless to another. */
export function principalKey({ caller }: Pick<Visit, 'caller'>): string {
  return `${caller.kind}:${caller.id}`;
}
