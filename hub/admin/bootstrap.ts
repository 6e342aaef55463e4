import type { AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { isNamed } from '@svc/core/workspace/username';
import { chooseUsername, refuseUnfitUsername } from '../accounts/choose-username.ts';
import { makeAccessToken, makeAgentToken, makeApiKey } from '../accounts/make-tokens.ts';
import { ownMembership } from '../accounts/own-member.ts';
import { findOrCreateUser, refuseOtherThanAddress } from '../accounts/sign-in.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Usernames } from '../accounts/store/username-store.ts';
import type { HubConfig } from '../config.ts';
import type { Clock, Random } from '../platform/world.ts';

export interface BootstrapDeps {
  readonly accounts: Accounts;
  readonly usernames: Usernames;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly random: Random;
  readonly defaultPlan: HubConfig['defaultPlan'];
}

/** The first tokens of an account. The hub keeps only their hashes. */
export interface FirstTokens {
  readonly accessToken: string;
  readonly agentToken: string;
  readonly apiKey: string;
}

/** The name of the agent token and of the API key that are made here. */
const NAME = 'bootstrap';

/**
 * Creates the account of this address if there is none, sets its username, and makes an access token, an agent token and an API
 * key. An account that has this username already gets new tokens only. Refuses with `username_taken`, `username_chosen` or
 * `invalid_argument`.
 */
export async function bootstrap(
  deps: BootstrapDeps,
  { email, username }: { readonly email: string; readonly username: string },
  by: AuditSource,
): Promise<FirstTokens> {
  // Before the account is created: a refusal changes nothing.
  refuseOtherThanAddress(email);
  refuseUnfitUsername(username);
  const holder = await deps.accounts.workspaceByAnyUsername(username);
  const known = await deps.accounts.userByEmail(email);
  if (holder !== undefined && holder.ownerId !== known?.id)
    throw refuse('username_taken', `"${username}" is taken`);
  const user = await findOrCreateUser(deps, email, by.from);
  const { workspace, member } = await ownMembership(deps, user.id);
  if (!isNamed(workspace, username)) await chooseUsername(deps, workspace.id, username, by);
  const owner = { workspaceId: workspace.id, createdBy: user.id, name: NAME };
  const key = { ...owner, endpoints: undefined, expiresAtMs: undefined };
  return {
    accessToken: (await makeAccessToken(deps, member, by)).token,
    agentToken: (await makeAgentToken(deps, { ...owner, agentNames: [], isPool: false }, by)).token,
    apiKey: (await makeApiKey(deps, key, by)).token,
  };
}
