import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCAL_OPERATOR_EMAIL } from '@svc/core/account/local-operator';
import type { Plan } from '@svc/core/plan/plans';
import { Refusal } from '@svc/core/refusal';
import type { Member } from '../accounts/account-ports.ts';
import { chooseUsername } from '../accounts/choose-username.ts';
import type { LinkTokens } from '../accounts/link-token.ts';
import { hashToken, makeAccessToken, makeAgentToken, makeApiKey } from '../accounts/make-tokens.ts';
import { ownMembership } from '../accounts/own-member.ts';
import { findOrCreateUser, makeSignInUrl } from '../accounts/sign-in.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { SignInLinks } from '../accounts/store/sign-in-links.ts';
import type { Usernames } from '../accounts/store/username-store.ts';
import { operatorSource } from '../audit/sources.ts';
import type { Clock, Random } from '../platform/world.ts';

const USERNAME = 'local';
const BY = operatorSource('svc up');

/** Everything that a person who starts `svc up` needs to begin (decision 53, the program). */
export interface FirstRunSetup {
  readonly username: string;
  readonly signInUrl: string;
  readonly apiKey: string;
  readonly accessToken: string;
  readonly agentToken: string;
}

type FirstRunDeps = {
  readonly accounts: Accounts;
  readonly usernames: Usernames;
  readonly credentials: Credentials;
  readonly links: SignInLinks;
  readonly clock: Clock;
  readonly random: Random;
} & {
  readonly tokens: LinkTokens;
  readonly hubUrl: string;
  readonly defaultPlan: Plan;
};

interface Kept {
  readonly api_key: string;
  readonly agent_token: string;
}

/**
 * The operator's own account, created on the first start. Key and agent token stay the same across starts: they are in a
 * file that only its owner can read.
 */
export async function firstRun(deps: FirstRunDeps, dataDir: string): Promise<FirstRunSetup> {
  const user = await findOrCreateUser(deps, LOCAL_OPERATOR_EMAIL, BY.from);
  const { workspace, member } = await ownMembership(deps, user.id);
  const username = workspace.username ?? (await chooseFirst(deps, workspace.id));
  const { api_key: apiKey, agent_token: agentToken } = await keptTokens(
    deps,
    member,
    join(dataDir, 'up.json'),
  );
  const { token: accessToken } = await makeAccessToken(deps, member, BY);
  const signInUrl = await makeSignInUrl(deps, user.email);
  return { username, signInUrl, apiKey, accessToken, agentToken };
}

/** The username of a deleted workspace is never used again (decision 3, usernames): `local` is followed by `local-2`. */
async function chooseFirst(deps: FirstRunDeps, workspaceId: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const username = n === 1 ? USERNAME : `${USERNAME}-${n}`;
    try {
      await chooseUsername(deps, workspaceId, username, BY);
      return username;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'username_taken') throw error;
    }
  }
}

async function keptTokens(deps: FirstRunDeps, member: Member, path: string): Promise<Kept> {
  const kept = readKept(path);
  if (kept !== undefined && (await areValid(deps, kept))) return kept;
  const owner = { workspaceId: member.workspaceId, createdBy: member.userId, name: 'svc up' };
  const key = await makeApiKey(deps, { ...owner, endpoints: undefined, expiresAtMs: undefined }, BY);
  const agentNames = await namesToTakeOver(deps, member.workspaceId);
  const agent = await makeAgentToken(deps, { ...owner, agentNames, isPool: false }, BY);
  const made = { api_key: key.token, agent_token: agent.token };
  writeFileSync(path, `${JSON.stringify(made)}\n`, { mode: 0o600 });
  return made;
}

/** The name of the agent that `svc up` starts beside its hub. */
const AGENT_NAME = 'default';

/** On restored data, a lost token may still have the agent's name. A new token for the name shares it. */
async function namesToTakeOver({ credentials }: FirstRunDeps, workspaceId: string): Promise<string[]> {
  const tokens = await credentials.agentTokensOf(workspaceId);
  const isTaken = tokens.some(
    (token) => token.revokedAtMs === undefined && token.agentNames.includes(AGENT_NAME),
  );
  return isTaken ? [AGENT_NAME] : [];
}

function readKept(path: string): Kept | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const { api_key, agent_token } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Kept>;
    return typeof api_key === 'string' && typeof agent_token === 'string'
      ? { api_key, agent_token }
      : undefined;
  } catch {
    // An unreadable file is replaced.
    return undefined;
  }
}

async function areValid({ credentials }: FirstRunDeps, { api_key, agent_token }: Kept): Promise<boolean> {
  const key = await credentials.apiKeyByHash(hashToken(api_key));
  const agent = await credentials.agentTokenByHash(hashToken(agent_token));
  return (
    key !== undefined &&
    key.revokedAtMs === undefined &&
    agent !== undefined &&
    agent.revokedAtMs === undefined
  );
}
