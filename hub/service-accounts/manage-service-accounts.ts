import type { AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import {
  MAX_KEYS,
  MAX_SERVICE_ACCOUNTS,
  type ServiceAccount,
  scopeOfKey,
} from '@svc/core/service-account/service-account';
import { type Made, makeToken } from '../accounts/make-tokens.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { ServiceAccountKey, ServiceAccounts } from './store/service-account-store.ts';

export interface ServiceAccountDeps {
  readonly clock: Clock;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly random: Random;
  readonly serviceAccounts: ServiceAccounts;
}

/** Creates a service account without a key. Refuses with `invalid_argument` when the name is taken or there are too many. */
export async function makeServiceAccount(
  { serviceAccounts, clock, random }: ServiceAccountDeps,
  wanted: Pick<ServiceAccount, 'workspaceId' | 'name' | 'role' | 'createdBy'>,
  by: AuditSource,
): Promise<ServiceAccount> {
  const account = { ...wanted, id: random.uuid(), createdAtMs: clock.nowMs(), disabledAtMs: undefined };
  const { id, name, role, workspaceId, createdAtMs: atMs } = account;
  const target = { kind: 'service_account', id, name } as const;
  const entry = {
    ...by,
    workspaceId,
    atMs,
    action: 'service_account.made',
    target,
    details: { role },
  } as const;
  refuseUnlessManager(await serviceAccounts.add(account, entry), () =>
    refuse(
      'invalid_argument',
      `name: "${name}" is the name of another service account, or the workspace has ${MAX_SERVICE_ACCOUNTS} already`,
    ),
  );
  return account;
}

export interface NewKey {
  readonly createdBy: string;
  readonly name: string;
  readonly endpoints: readonly string[] | undefined;
  readonly expiresAtMs: number | undefined;
}

/** Creates a key of a service account. Refuses with `not_found` when it was disabled, or `invalid_argument` when it has too many. */
export async function makeServiceAccountKey(
  deps: ServiceAccountDeps,
  account: ServiceAccount,
  wanted: NewKey,
  by: AuditSource,
): Promise<Made<ServiceAccountKey>> {
  if (account.disabledAtMs !== undefined) throw noSuchAccount();
  const { token, ...secret } = makeToken(deps, 'api_key');
  const { id: serviceAccountId, workspaceId } = account;
  const endpoints = scopeOfKey(account, wanted.endpoints);
  const row = { ...wanted, ...secret, workspaceId, serviceAccountId, endpoints, revokedAtMs: undefined };
  const stored = await deps.serviceAccounts.addKey(row, {
    ...by,
    workspaceId,
    atMs: row.createdAtMs,
    action: 'service_account.key_made',
    target: { kind: 'service_account', id: account.id, name: account.name },
    details: {
      key: row.name,
      last4: row.last4,
      endpoints: row.endpoints ?? null,
      expires_at: row.expiresAtMs === undefined ? null : new Date(row.expiresAtMs).toISOString(),
    },
  });
  refuseUnlessManager(stored, () =>
    refuse(
      'invalid_argument',
      `a service account that works has at most ${MAX_KEYS} keys: revoke one before you create another`,
    ),
  );
  const unused = { usedAtMs: undefined, agentSinceMs: undefined };
  return { row: { ...row, ...unused, previousLast4: undefined, previousUntilMs: undefined }, token };
}

/** Disables a service account: revokes its keys, and ends the streams opened with them at every hub. */
export async function disableServiceAccount(
  { serviceAccounts, clock, openStreams }: ServiceAccountDeps,
  { id, workspaceId, name, role }: ServiceAccount,
  by: AuditSource,
): Promise<void> {
  const target = { kind: 'service_account', id, name } as const;
  const entry = {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action: 'service_account.disabled',
    target,
  } as const;
  if (!(await serviceAccounts.disable(workspaceId, id, { ...entry, details: { role } })))
    throw noSuchAccount();
  await openStreams.recheck();
}

/** Revokes a key of a service account, and ends the streams opened with it at every hub. */
export async function revokeServiceAccountKey(
  { serviceAccounts, clock, openStreams }: ServiceAccountDeps,
  { id: accountId, workspaceId, name }: ServiceAccount,
  key: ServiceAccountKey,
  by: AuditSource,
): Promise<void> {
  const isRevoked = await serviceAccounts.revokeKey(workspaceId, key.id, {
    ...by,
    workspaceId,
    atMs: clock.nowMs(),
    action: 'service_account.key_revoked',
    target: { kind: 'service_account', id: accountId, name },
    details: { key: key.name, last4: key.last4 },
  });
  if (!isRevoked) throw noSuchKey();
  await openStreams.recheck();
}

export function noSuchAccount() {
  return refuse('not_found', 'there is no such service account that works');
}

export function noSuchKey() {
  return refuse('not_found', 'there is no such key of a service account');
}

function refuseUnlessManager(
  stored: 'stored' | 'no_manager' | 'no_member' | 'refused',
  refusal: () => Error,
): void {
  if (stored === 'refused') throw refusal();
  if (stored !== 'stored') throw refuse('unauthorized', 'you may not manage service accounts any more');
}
