import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { hashToken, makeToken } from '../accounts/make-tokens.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Clock, Random } from '../platform/world.ts';
import type { RunnerToken } from './hosted-ports.ts';
import type { HostedRecords } from './store/hosted-records.ts';
import type { RunnerTokens } from './store/runner-tokens.ts';

type TokenDeps = { readonly runnerTokens: RunnerTokens; readonly clock: Clock; readonly random: Random };

const MAX_NAME_CHARS = 100;

/** Creates the token of an operator's host. The plain token is returned only once (decision 1, tokens). */
export async function makeRunnerToken(
  deps: TokenDeps,
  name: string,
): Promise<{ readonly row: RunnerToken; readonly token: string }> {
  if (!/^[^\p{Cc}]+$/u.test(name) || name.length > MAX_NAME_CHARS)
    throw refuse('invalid_argument', `a name of 1 to ${MAX_NAME_CHARS} characters on one line expected`);
  const { token, ...secret } = makeToken(deps, 'runner_token');
  const row = { ...secret, name, revokedAtMs: undefined };
  await deps.runnerTokens.add(row);
  return { row, token };
}

/** Revokes a host's token. Running hubs close its connections with their next heartbeat. */
export async function revokeRunnerToken(
  { runnerTokens, clock }: Pick<TokenDeps, 'runnerTokens' | 'clock'>,
  id: string,
): Promise<void> {
  if (!(await runnerTokens.revoke(id, clock.nowMs())))
    throw refuse('not_found', `there is no runner token "${id}"`);
}

/** Sets whether hosted executions of a workspace have network access (reference 8). It applies to executions that begin later. */
export async function setHostedNetwork(
  {
    accounts,
    hosted,
    clock,
  }: { readonly accounts: Accounts; readonly hosted: HostedRecords; readonly clock: Clock },
  { username, isAllowed }: { readonly username: string; readonly isAllowed: boolean },
  by: AuditSource,
): Promise<void> {
  const workspace = await accounts.workspaceByAnyUsername(username);
  if (workspace === undefined) throw refuse('not_found', `nobody has the username "${username}"`);
  await hosted.setNetwork(isAllowed, {
    ...by,
    workspaceId: workspace.id,
    atMs: clock.nowMs(),
    action: 'workspace.hosted_network_changed',
    target: { kind: 'workspace', id: workspace.id, name: username },
    details: { allowed: isAllowed },
  });
}

const FILE = 'runner.token';

/** The token of the host that `svc up` starts. A file that only its owner can read keeps it; a revoked token is replaced. */
export async function firstRunnerToken(
  deps: { readonly runnerTokens: RunnerTokens; readonly clock: Clock; readonly random: Random },
  dataDir: string,
): Promise<string> {
  const path = join(dataDir, FILE);
  const kept = readKept(path);
  const known = kept === undefined ? undefined : await deps.runnerTokens.byHash(hashToken(kept));
  if (kept !== undefined && known !== undefined && known.revokedAtMs === undefined) return kept;
  const { token } = await makeRunnerToken(deps, 'svc up');
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  return token;
}

function readKept(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
