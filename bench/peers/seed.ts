import { mkdirSync } from 'node:fs';
import { chooseUsername } from '@svc/hub/accounts/choose-username';
import { makeAccessToken, makeAgentToken, makeApiKey } from '@svc/hub/accounts/make-tokens';
import { ownMembership } from '@svc/hub/accounts/own-member';
import { findOrCreateUser } from '@svc/hub/accounts/sign-in';
import { operatorSource } from '@svc/hub/audit/sources';
import type { Store } from '@svc/hub/build/create-store';
import { openStore } from '@svc/hub/build/open-store';
import { readHubConfig } from '@svc/hub/config';

/** An account as a hub finds it when it starts. */
export interface Seeded {
  readonly workspaceId: string;
  readonly username: string;
  readonly apiKey: string;
  readonly accessToken: string;
  readonly agentTokens: readonly string[];
}

/** Makes accounts in the data folder of a hub that does not run, through the ports that it uses itself. */
export async function seedAccounts(dataDir: string, accounts: number, tokensEach: number): Promise<Seeded[]> {
  await using store = await storeIn(dataDir);
  return await seedIn(store, accounts, tokensEach);
}

/** The same in a store that is open. */
export async function seedIn(store: Store, accounts: number, tokensEach: number): Promise<Seeded[]> {
  return await Promise.all(Array.from({ length: accounts }, (_, n) => seedAccount(store, n, tokensEach)));
}

/** The store of a hub, to be read after the hub has stopped. */
export function storeIn(dataDir: string): Promise<Store> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return openStore(readHubConfig({ SVC_DATA_DIR: dataDir }));
}

async function seedAccount(store: Store, n: number, tokens: number): Promise<Seeded> {
  const ports = {
    accounts: store.accounts,
    credentials: store.credentials,
    usernames: store.usernames,
    clock: { nowMs: () => Date.now(), at: () => () => {} },
    random: {
      uuid: () => Bun.randomUUIDv7(),
      bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
    },
    defaultPlan: 'unlimited',
  } as const;
  const by = operatorSource('bench');
  const username = `bench-${n}`;
  const user = await findOrCreateUser(ports, `${username}@localhost`, by.from);
  const { workspace, member } = await ownMembership(ports, user.id);
  await chooseUsername(ports, workspace.id, username, by);
  const owner = { workspaceId: workspace.id, createdBy: user.id, name: 'bench' };
  const key = await makeApiKey(ports, { ...owner, endpoints: undefined, expiresAtMs: undefined }, by);
  const made = await Promise.all(
    Array.from({ length: tokens }, () =>
      makeAgentToken(ports, { ...owner, agentNames: [], isPool: false }, by),
    ),
  );
  return {
    workspaceId: workspace.id,
    username,
    apiKey: key.token,
    accessToken: (await makeAccessToken(ports, member, by)).token,
    agentTokens: made.map(({ token }) => token),
  };
}
