import { expect, setDefaultTimeout, test } from 'bun:test';
import { Refusal } from '@svc/core/refusal';
import { decideRemoval } from '@svc/core/team/decide-membership';
import { decideAcceptance, decideOffer } from '@svc/core/team/decide-ownership';
import type { Team } from '@svc/core/team/team';
import type { Store } from '../../build/create-store.ts';
import { auditEntry, NOW_MS, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { TeamChange } from './team-change.ts';

setDefaultTimeout(60_000);

const PEOPLE = 5;

/** Decides and stores as the use cases do: again until no other change comes in between. */
async function change(
  store: Store,
  workspaceId: string,
  decide: (team: Team) => TeamChange,
): Promise<string> {
  try {
    for (;;) {
      const team = (await store.teams.load(workspaceId)) as Team;
      if (await store.teams.store(team, decide(team), auditEntry(workspaceId))) return 'stored';
    }
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

const mailTo = (to: string) => ({
  ...{ id: Bun.randomUUIDv7(), to, subject: 's', text: 't', html: 'h', createdAtMs: NOW_MS },
});

/** A workspace with an owner and members. */
async function teamOf(store: Store) {
  const { workspaceId, userId } = await newWorkspace(store);
  const people = [userId];
  for (let more = 1; more < PEOPLE; more += 1) {
    const lin = await newWorkspace(store);
    people.push(lin.userId);
    const joined = {
      kind: 'joined_by_group',
      userId: lin.userId,
      role: 'admin',
      group: 'g',
      atMs: NOW_MS,
    } as const;
    await change(store, workspaceId, () => joined);
  }
  const offer = (from: string, to: string) =>
    change(store, workspaceId, (team) => {
      const member = decideOffer(team, from, to);
      const made = { userId: to, offeredAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 };
      return { kind: 'ownership_offered', offer: made, mail: mailTo(member.email) };
    });
  const accept = (userIdOfTaker: string) =>
    change(store, workspaceId, (team) => {
      const { from, to } = decideAcceptance(team, userIdOfTaker, NOW_MS);
      const mails = [mailTo(from.email), mailTo(to.email)];
      return { kind: 'owner_changed', from: from.userId, to: to.userId, mails, atMs: NOW_MS };
    });
  const remove = (by: string, whom: string) =>
    change(store, workspaceId, (team) => ({
      kind: 'removed',
      userId: decideRemoval(team, by, whom).userId,
      mail: undefined,
      atMs: NOW_MS,
    }));
  /** The owners, by the team and by the workspace. */
  const owners = async () => {
    const { members = [] } = (await store.teams.load(workspaceId)) ?? {};
    const workspace = await store.accounts.workspaceById(workspaceId);
    return {
      owners: members.filter(({ role }) => role === 'owner').map((one) => one.userId),
      by: workspace?.ownerId,
    };
  };
  return { workspaceId, people, offer, accept, remove, owners };
}

onBothDatabases(({ shared }) => {
  test('a member becomes the owner, the owner an admin, and the offer is used up', async () => {
    const store = await shared();
    const { workspaceId, people, offer, accept, owners } = await teamOf(store);
    const [ada = '', lin = '', bob = ''] = people;
    expect(await offer(ada, bob)).toBe('stored');
    expect(await offer(ada, lin)).toBe('stored');
    expect(await accept(bob)).toBe('not_found');
    expect(await accept(lin)).toBe('stored');
    expect(await owners()).toEqual({ owners: [lin], by: lin });
    const team = await store.teams.load(workspaceId);
    expect(team?.members.find(({ userId }) => userId === ada)?.role).toBe('admin');
    expect(team?.members.find(({ userId }) => userId === lin)?.viaGroup).toBeUndefined();
    expect([await accept(lin), await offer(ada, bob)]).toEqual(['not_found', 'forbidden']);
  });

  test('there is one owner at every moment, whatever offers, acceptances and removals run at once', async () => {
    const store = await shared();
    const { people, offer, accept, remove, owners } = await teamOf(store);
    let isOver = false;
    const seen: number[] = [];
    const watch = (async () => {
      while (!isOver) {
        seen.push((await owners()).owners.length);
        // SQLite answers within the same turn: the others get theirs.
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const acts = people.flatMap((one, index) => {
      const next = people[(index + 1) % people.length] ?? '';
      return [() => offer(one, next), () => accept(next), () => accept(one), () => offer(one, next)];
    });
    for (let round = 0; round < 3; round += 1) await Promise.all(acts.map((act) => act()));
    const [first = '', second = ''] = people;
    await Promise.all([...acts.map((act) => act()), remove(first, second), remove(second, first)]);
    isOver = true;
    await watch;
    expect([...new Set(seen)]).toEqual([1]);
    const last = await owners();
    expect(last).toEqual({ owners: [last.by ?? ''], by: last.by });
  });

  test('of many who accept at once, one is first, and a deletion by the former owner is refused', async () => {
    const store = await shared();
    const { workspaceId, people, offer, accept, owners } = await teamOf(store);
    const [ada = '', lin = ''] = people;
    await offer(ada, lin);
    const accepted = await Promise.all(Array.from({ length: 8 }, () => accept(lin)));
    expect(accepted.filter((one) => one === 'stored')).toHaveLength(1);
    const deletion = { id: workspaceId, ownerId: ada };
    expect(await store.workspaceRemoval.begin(deletion, auditEntry(workspaceId))).toBe(false);
    expect(await owners()).toEqual({ owners: [lin], by: lin });
    expect(
      await store.workspaceRemoval.begin({ id: workspaceId, ownerId: lin }, auditEntry(workspaceId)),
    ).toBe(true);
  });

  test('of two transfers at once, the last one ends the tokens of the former owner in every workspace', async () => {
    const store = await shared();
    const { workspaceId: first, userId: ada } = await newWorkspace(store);
    const { workspaceId: foreign, userId: lin } = await newWorkspace(store);
    const second = Bun.randomUUIDv7();
    const made = { userId: ada, id: second, plan: 'unlimited', nowMs: NOW_MS, limit: 2 } as const;
    expect(await store.accounts.createWorkspace(made, auditEntry(second))).toBe('stored');
    const token = {
      ...({
        id: Bun.randomUUIDv7(),
        hash: Bun.randomUUIDv7(),
        kind: 'personal',
        last4: '',
        epoch: 0,
      } as const),
      ...{ userId: ada, workspaceId: foreign, createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1_000 },
      ...{ name: undefined, usedAtMs: undefined, agentSinceMs: undefined, passkeyId: undefined },
    };
    await store.credentials.addAccessToken(token, auditEntry(foreign));
    const join = { kind: 'joined_by_group', userId: lin, role: 'admin', group: 'g', atMs: NOW_MS } as const;
    for (const id of [first, second]) expect(await change(store, id, () => join)).toBe('stored');
    const transfer = { kind: 'owner_changed', from: ada, to: lin, mails: [], atMs: NOW_MS } as const;
    const outcomes = await Promise.all([first, second].map((id) => change(store, id, () => transfer)));
    expect(outcomes).toEqual(['stored', 'stored']);
    expect(await store.credentials.accessTokensOf(ada, NOW_MS)).toEqual([]);
  });
});
