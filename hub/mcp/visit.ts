import type { Caller } from '@svc/core/execution/access';
import type { ToolSelection } from '@svc/core/mcp/tool-selection';
import type { Workspace } from '../accounts/account-ports.ts';

/** A request of an agent: who asks, in which workspace, and which tools its address selects. */
export interface Visit {
  readonly caller: Exclude<Caller, { kind: 'anonymous' }>;
  readonly workspace: Workspace;
  readonly selection: ToolSelection;
  readonly request: Request;
}

/** The principal of a request: what is sealed for one is worth nothing to another. */
export function principalOf({ caller }: Pick<Visit, 'caller'>): string {
  return `${caller.kind}:${caller.id}`;
}
