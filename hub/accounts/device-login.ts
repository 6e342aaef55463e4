import { createHmac } from 'node:crypto';
import type { AuditOrigin, AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import {
  DEVICE_CODE_CAN,
  DEVICE_CODE_LIFE_SEC,
  DEVICE_POLL_SEC,
  decidePoll,
  type PollDecision,
  readUserCode,
  userCodeOf,
} from '@svc/core/token/device-code';
import type { Clock, Random } from '../platform/world.ts';
import { isOver } from './access-life.ts';
import type { DeviceCode, DeviceCodeDecision, Workspace } from './account-ports.ts';
import { accessTokenMade, hashToken, newAccessToken } from './make-tokens.ts';
import type { Accounts } from './store/account-store.ts';
import type { Credentials } from './store/credentials.ts';
import type { DeviceCodes } from './store/device-codes.ts';

const DEVICE_CODE_BYTES = 32;
const USER_CODE_BYTES = 16;

/** A program stays signed in for this long. `svc logout` and the events of decision 44 end it earlier. */
export const DEVICE_TOKEN_MS = 30 * 24 * 60 * 60 * 1000;

export type DeviceLoginDeps = {
  readonly deviceCodes: DeviceCodes;
  readonly accounts: Accounts;
  readonly credentials: Pick<Credentials, 'accessTokensOf'>;
  readonly random: Random;
  readonly clock: Clock;
} & {
  /** The key of the hash: a user code has 34 bits, so a plain hash could be reversed. */
  readonly userCodeKey: Uint8Array;
};

/** The response to a program that begins to sign in; neither code is stored in plain (RFC 8628, 3.2). */
export interface StartedDeviceLogin {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly intervalSec: number;
  readonly expiresInSec: number;
}

export async function startDeviceLogin(
  deps: DeviceLoginDeps,
  clientName: string | undefined,
): Promise<StartedDeviceLogin> {
  const { deviceCodes, random, clock } = deps;
  const deviceCode = Buffer.from(random.bytes(DEVICE_CODE_BYTES)).toString('base64url');
  const userCode = userCodeOf(random.bytes(USER_CODE_BYTES));
  const nowMs = clock.nowMs();
  const isStored = await deviceCodes.add({
    id: random.uuid(),
    deviceHash: hashToken(deviceCode),
    userHash: hashUserCode(deps, userCode),
    clientName,
    state: 'pending',
    intervalSec: DEVICE_POLL_SEC,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + DEVICE_CODE_LIFE_SEC * 1000,
    polledAtMs: undefined,
    userId: undefined,
    workspaceId: undefined,
  });
  if (!isStored) throw refuse('unavailable', 'this code was taken: try again');
  return { deviceCode, userCode, intervalSec: DEVICE_POLL_SEC, expiresInSec: DEVICE_CODE_LIFE_SEC };
}

/** The program that waits with this code. A decided, an expired and an unknown code give the same refusal. */
export async function findDeviceLogin(deps: DeviceLoginDeps, typed: string): Promise<DeviceCode> {
  const userCode = readUserCode(typed);
  const code = userCode && (await deps.deviceCodes.byUserHash(hashUserCode(deps, userCode)));
  if (!code || !canDecide(code) || code.expiresAtMs <= deps.clock.nowMs()) throw noSuchCode();
  return code;
}

/** Stores a person's decision, once. */
export async function decideDeviceLogin(
  deps: DeviceLoginDeps,
  typed: string,
  decision: DeviceCodeDecision,
  by: AuditSource & { readonly workspaceId: string },
): Promise<void> {
  const { id, clientName } = await findDeviceLogin(deps, typed);
  const { state } = decision;
  const entry = {
    ...by,
    workspaceId: state === 'approved' ? decision.workspaceId : by.workspaceId,
    atMs: deps.clock.nowMs(),
    action: `device.${state}`,
    target: { kind: 'device', id, name: clientName ?? 'a program' },
    details: {},
  } as const;
  if (!(await deps.deviceCodes.decide(id, decision, entry))) throw noSuchCode();
}

export type DeviceLoginAnswer =
  | Exclude<PollDecision, { kind: 'redeem' }>
  | { readonly kind: 'signed_in'; readonly token: string; readonly workspace: Workspace };

/** The response to a program that polls for its token. It gets the token only once. */
export async function pollDeviceLogin(
  deps: DeviceLoginDeps,
  deviceCode: string,
  from: AuditOrigin,
): Promise<DeviceLoginAnswer> {
  const code = await deps.deviceCodes.byDeviceHash(hashToken(deviceCode));
  const nowMs = deps.clock.nowMs();
  const decision = code === undefined ? ({ kind: 'expired_token' } as const) : decidePoll(code, nowMs);
  if (decision.kind === 'redeem') return redeem(deps, code as DeviceCode, from);
  if (code !== undefined && 'intervalSec' in decision)
    await deps.deviceCodes.polled(code.id, nowMs, decision.intervalSec);
  return decision;
}

async function redeem(
  deps: DeviceLoginDeps,
  { id, clientName, userId = '', workspaceId = '', boundSessionId }: DeviceCode,
  from: AuditOrigin,
): Promise<DeviceLoginAnswer> {
  const member = await deps.accounts.member(workspaceId, userId);
  const workspace = await deps.accounts.workspaceById(workspaceId);
  // The user who approved may have left the workspace since.
  if (member === undefined || workspace === undefined) return { kind: 'access_denied' };
  if (boundSessionId !== undefined && !(await isSessionOpen(deps, userId, boundSessionId)))
    return { kind: 'access_denied' };
  const { row, token } = newAccessToken(deps, member, {
    lifeMs: DEVICE_TOKEN_MS,
    name: clientName,
    boundSessionId,
  });
  const by = { actor: { kind: 'member', id: userId, name: member.email }, from } as const;
  switch (await deps.deviceCodes.redeem(id, row, accessTokenMade(row, member, by))) {
    case 'used':
      return { kind: 'expired_token' };
    case 'needs_provider':
      return { kind: 'access_denied' };
    case 'stored':
      return { kind: 'signed_in', token, workspace };
  }
}

/** The provider of a workspace may have ended the session that approved. */
async function isSessionOpen(
  { credentials, clock }: DeviceLoginDeps,
  userId: string,
  sessionId: string,
): Promise<boolean> {
  const nowMs = clock.nowMs();
  const session = (await credentials.accessTokensOf(userId, nowMs)).find(({ id }) => id === sessionId);
  return session !== undefined && !isOver(session, nowMs);
}

function canDecide({ state }: DeviceCode): boolean {
  return (DEVICE_CODE_CAN.approve as readonly string[]).includes(state);
}

function hashUserCode({ userCodeKey }: DeviceLoginDeps, userCode: string): string {
  return createHmac('sha256', userCodeKey).update(userCode).digest('hex');
}

function noSuchCode() {
  return refuse('not_found', 'no program waits with this code; a code works once and for ten minutes');
}
