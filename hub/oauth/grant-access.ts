import type { AuditEntry, AuditSource } from '@svc/core/audit/entry';
import { CODE_MS } from '@svc/core/oauth/decide-token';
import { type Scopes, scopesText } from '@svc/core/oauth/scopes';
import { hashToken } from '../accounts/make-tokens.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { Grant } from './oauth-ports.ts';
import type { Grants } from './store/grant-store.ts';

export interface GrantAccessDeps {
  readonly grants: Grants;
  readonly clock: Clock;
  readonly random: Random;
}

/** A user's decision about a client that the hub has checked. */
export interface Consent {
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly resource: string;
  readonly scopes: Scopes;
  readonly userId: string;
  readonly workspaceId: string;
}

const CODE_BYTES = 32;

/** Stores the grant, and returns the code that the client exchanges for its tokens. */
export async function grantAccess(deps: GrantAccessDeps, consent: Consent, by: AuditSource): Promise<string> {
  const code = Buffer.from(deps.random.bytes(CODE_BYTES)).toString('base64url');
  const nowMs = deps.clock.nowMs();
  const { scopes, ...rest } = consent;
  const grant: Grant = {
    ...rest,
    id: deps.random.uuid(),
    scopes: scopesText(scopes),
    state: 'issued',
    codeHash: hashToken(code),
    codeExpiresAtMs: nowMs + CODE_MS,
    generation: 0,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + CODE_MS,
  };
  await deps.grants.add(grant, grantEntry(grant, 'ai_client.allowed', nowMs, by));
  return code;
}

/** Records that the user refused. */
export async function denyAccess(
  { grants, clock }: Pick<GrantAccessDeps, 'grants' | 'clock'>,
  { clientName, clientId, workspaceId }: Pick<Consent, 'clientName' | 'clientId' | 'workspaceId'>,
  by: AuditSource,
): Promise<void> {
  const target = { kind: 'ai_client', id: '', name: clientName } as const;
  const details = { client_id: shown(clientId) };
  await grants.noteDenied({
    ...by,
    ...{ workspaceId, atMs: clock.nowMs(), action: 'ai_client.denied', target, details },
  });
}

/** The entry of the audit log about a grant. */
export function grantEntry(
  grant: Grant,
  action: AuditEntry['action'],
  atMs: number,
  by: AuditSource,
): AuditEntry {
  const { id, workspaceId, clientName, clientId, scopes, resource } = grant;
  const target = { kind: 'ai_client', id, name: clientName } as const;
  return {
    ...by,
    workspaceId,
    atMs,
    action,
    target,
    details: { client_id: shown(clientId), scopes, resource },
  };
}

const MAX_SHOWN = 200;

/** The id of a client that registered itself is a long sealed text, so the audit log has a word instead. */
function shown(clientId: string): string {
  return clientId.startsWith('https:') ? clientId.slice(0, MAX_SHOWN) : 'registered';
}
