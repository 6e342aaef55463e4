import type { Caller } from '@svc/core/execution/access';
import { tokenKind } from '@svc/core/token/token';
import type { RightsHolder, WorkspaceRights } from '@svc/core/workspace/endpoint-rights';
import { secondFactorMissing } from '@svc/core/workspace/second-factor-rule';
import type { CallLookups } from '../lookups/caches.ts';
import type { Clock } from '../platform/world.ts';
import type { AccessToken, UsedApiKey } from './account-ports.ts';
import { hashToken } from './make-tokens.ts';
import type { Accounts } from './store/account-store.ts';
import type { Credentials } from './store/credentials.ts';

export const ANONYMOUS: Caller = { kind: 'anonymous' };

type IdentifyDeps = {
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly clock: Clock;
} & {
  readonly lookups: CallLookups;
  readonly keyUse: Pick<KeyUse, 'note'>;
  readonly settings: { readonly hubUrl: string };
};

/** The caller that a token identifies; undefined for a malformed, unknown, expired or revoked token. */
export function identify(deps: IdentifyDeps, token: string | undefined): Caller | Promise<Caller> {
  if (token === undefined) return ANONYMOUS;
  const kind = tokenKind(token);
  if (kind === 'api_key') return identifyKey(deps, token);
  return kind === 'access_token' ? identifyMember(deps, token) : ANONYMOUS;
}

/** Synchronous when the key is cached, because every call passes here. */
function identifyKey(deps: IdentifyDeps, token: string): Caller | Promise<Caller> {
  const key = deps.lookups.apiKey(hashToken(token));
  return key instanceof Promise ? key.then((found) => callerOf(deps, found)) : callerOf(deps, key);
}

export interface RightsDeps {
  readonly lookups: Pick<CallLookups, 'rights'>;
  readonly settings: { readonly hubUrl: string };
}

/**
 * The caller with the rights on endpoints that the holder has now (decision 87, rights per endpoint). Refuses a holder who lacks the second
 * factor that the workspace demands with `second_factor_required` (decision 100, second factor).
 */
export function withRights<Known extends Exclude<Caller, { kind: 'anonymous' }>>(
  { lookups, settings }: RightsDeps,
  caller: Known,
  holder: RightsHolder,
): Known | Promise<Known> {
  const add = (all: WorkspaceRights): Known => {
    if (all.lacksSecondFactor(holder)) throw secondFactorMissing(settings.hubUrl);
    const rights = all.of(holder);
    return rights === undefined ? caller : { ...caller, rights };
  };
  const found = lookups.rights(caller.workspaceId);
  return found instanceof Promise ? found.then(add) : add(found);
}

/** The person or service account that a key acts for. */
export function holderOfKey({
  createdBy,
  serviceAccountId,
}: Pick<UsedApiKey, 'createdBy' | 'serviceAccountId'>): RightsHolder {
  return serviceAccountId === undefined
    ? { kind: 'member', id: createdBy }
    : { kind: 'service_account', id: serviceAccountId };
}

function callerOf(
  { clock, keyUse, lookups, settings }: Pick<IdentifyDeps, 'clock' | 'keyUse' | 'lookups' | 'settings'>,
  key: Awaited<ReturnType<CallLookups['apiKey']>>,
): Caller | Promise<Caller> {
  const nowMs = clock.nowMs();
  if (key === undefined || key.revokedAtMs !== undefined) return ANONYMOUS;
  if (key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs) return ANONYMOUS;
  keyUse.note(key, nowMs);
  const { id, workspaceId, endpoints } = key;
  const caller = { kind: 'api_key', id, workspaceId, endpoints } as const;
  return withRights({ lookups, settings }, caller, holderOfKey(key));
}

async function identifyMember(deps: IdentifyDeps, token: string): Promise<Caller> {
  const access = await deps.credentials.accessTokenByHash(hashToken(token));
  if (access?.kind !== 'personal' || access.workspaceId === undefined) return ANONYMOUS;
  return memberOf(deps, access, access.workspaceId);
}

/** A credential of an older epoch than the member's is invalid (decision 44, sign-in). */
export async function memberOf(
  { accounts, clock, ...deps }: RightsDeps & { readonly accounts: Accounts; readonly clock: Clock },
  access: AccessToken,
  workspaceId: string,
): Promise<Caller> {
  if (access.expiresAtMs <= clock.nowMs()) return ANONYMOUS;
  const member = await accounts.member(workspaceId, access.userId);
  if (member === undefined || member.epoch !== access.epoch) return ANONYMOUS;
  const { userId: id, role } = member;
  return withRights(deps, { kind: 'member', id, workspaceId, role }, { kind: 'member', id, role });
}

/** A write for each call would cost more than the call, and people only ask whether a key is still in use. */
const EVERY_MS = 60 * 60 * 1000;
const MAX_ENTRIES = 50_000;

/** Records when keys were last used, to the hour. Calls do not wait for the write. */
export class KeyUse {
  readonly #credentials: Pick<Credentials, 'touchApiKey'>;
  readonly #reportBug: (error: unknown) => void;
  /** The last recorded use by key; newer than the value in the store. */
  readonly #noted = new Map<string, number>();

  constructor(credentials: Pick<Credentials, 'touchApiKey'>, reportBug: (error: unknown) => void) {
    this.#credentials = credentials;
    this.#reportBug = reportBug;
  }

  note({ id, usedAtMs = 0 }: Pick<UsedApiKey, 'id' | 'usedAtMs'>, nowMs: number): void {
    if (nowMs - (this.#noted.get(id) ?? usedAtMs) < EVERY_MS) return;
    if (this.#noted.size >= MAX_ENTRIES) this.#noted.clear();
    this.#noted.set(id, nowMs);
    this.#credentials.touchApiKey(id, nowMs).catch(this.#reportBug);
  }
}
