import type { Preconditions, StaleBecause } from '@svc/core/approval/decide-approval';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Execution } from '../executions/execution-ports.ts';
import type { DecidedOn } from './approval-ports.ts';
import { decisionRules } from './decision-rules.ts';

export type PreconditionDeps = {
  readonly endpoints: Endpoints;
  readonly credentials: Credentials;
  readonly accounts: Accounts;
};

/** The preconditions of a pending call, and the versions that they were read from. */
export interface LoadedPreconditions extends Preconditions {
  /** An approval is stored only while these are current; undefined: the call is stale. */
  readonly decidedOn: DecidedOn | undefined;
}

/** Loads everything on which a pending call depends (decision 35, an approval is frozen). */
export async function loadPreconditions(
  deps: PreconditionDeps,
  execution: Execution,
  nowMs: number,
): Promise<LoadedPreconditions> {
  const endpoint = await deps.endpoints.byId(execution.endpointId);
  const stale = staleEndpoint(execution, endpoint) ?? (await staleCaller(deps, execution, nowMs));
  const rules = await decisionRules(deps, execution, endpoint?.endpoint ?? { allowSelf: true });
  const preconditions = { stale, rules };
  if (stale !== undefined || endpoint === undefined) return { ...preconditions, decidedOn: undefined };
  const { callerKind, callerId } = execution;
  const decidedOn = {
    endpointId: endpoint.id,
    endpointVersion: endpoint.version,
    apiKeyId: callerKind === 'api_key' ? callerId : undefined,
    memberId: callerKind === 'member' ? callerId : undefined,
  };
  return { ...preconditions, decidedOn };
}

function staleEndpoint(
  { definitionHash }: Execution,
  endpoint: RegisteredEndpoint | undefined,
): StaleBecause | undefined {
  if (endpoint === undefined) return 'endpoint_deleted';
  return endpoint.definitionHash === definitionHash ? undefined : 'definition_changed';
}

/** An expired key counts as revoked; the keys of a removed member are revoked (reference 3.4). Undefined: the caller is known. */
export async function staleCaller(
  { credentials, accounts }: Omit<PreconditionDeps, 'endpoints'>,
  { callerKind, callerId, workspaceId }: Pick<Execution, 'callerKind' | 'callerId' | 'workspaceId'>,
  nowMs: number,
): Promise<StaleBecause | undefined> {
  if (callerKind === 'member') {
    const member = await accounts.member(workspaceId, callerId ?? '');
    return member === undefined ? 'member_removed' : undefined;
  }
  if (callerKind !== 'api_key') return undefined;
  const key = (await credentials.apiKeysOf(workspaceId)).find(({ id }) => id === callerId);
  const isAlive =
    key !== undefined && key.revokedAtMs === undefined && (key.expiresAtMs ?? nowMs + 1) > nowMs;
  return isAlive ? undefined : 'key_revoked';
}
