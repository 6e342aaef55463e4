import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Plan } from '@svc/core/plan/plans';
import { Refusal } from '@svc/core/refusal';
import { decideInvite } from '@svc/core/team/decide-invite';
import { decideJoin } from '@svc/core/team/decide-join';
import { decideRemoval } from '@svc/core/team/decide-membership';
import type { Team } from '@svc/core/team/team';
import type { Store } from '../../build/create-store.ts';
import { auditEntry, NOW_MS, newId, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { TeamChange } from './team-change.ts';

setDefaultTimeout(60_000);

function mailTo(to: string) {
  return { id: newId(), to, subject: 's', text: 't', html: 'h', createdAtMs: NOW_MS };
}

/** Decides and stores like the use case: again until no other change comes in between. */
async function change(
  { teams }: Store,
  workspaceId: string,
  decide: (team: Team) => TeamChange,
): Promise<string> {
  try {
    for (;;) {
      const team = (await teams.load(workspaceId)) as Team;
      if (await teams.store(team, decide(team), auditEntry(workspaceId))) return 'stored';
    }
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

const invite = (store: Store, workspaceId: string, actorId: string, email: string) =>
  change(store, workspaceId, (team) => ({
    kind: 'invited',
    invite: decideInvite(team, actorId, { id: newId(), email, role: 'admin' }, NOW_MS),
    mail: mailTo(email),
  }));

const remove = (store: Store, workspaceId: string, actorId: string, memberId: string) =>
  change(store, workspaceId, (team) => ({
    kind: 'removed',
    userId: decideRemoval(team, actorId, memberId).userId,
    mail: undefined,
    atMs: NOW_MS,
  }));

/** Signs up and accepts the invitation of this address. */
async function join(store: Store, workspaceId: string, email: string): Promise<[string, string]> {
  const { userId } = await newWorkspace(store, email);
  const outcome = await change(store, workspaceId, (team) => {
    const seen = team.invites.find((one) => one.email === email) ?? { id: '', generation: 0 };
    const accepted = decideJoin(team, seen, { id: userId, email }, NOW_MS);
    return { kind: 'joined', invite: accepted, userId, atMs: NOW_MS };
  });
  return [outcome, userId];
}

async function newTeam(store: Store, plan: Plan) {
  const owner = await newWorkspace(store);
  await store.accounts.setPlan(owner.workspaceId, plan, auditEntry(owner.workspaceId));
  return owner;
}

const counts = (outcomes: readonly string[]) =>
  Object.fromEntries([...new Set(outcomes)].map((one) => [one, outcomes.filter((it) => it === one).length]));

/** Every lost attempt decides again. The use cases, which serialize attempts, have a test with fifty. */
const MANY = Array.from({ length: 12 }, (_, n) => `p${n}-${newId()}@example.org`);

onBothDatabases(({ shared, open, newLocation }) => {
  test('many concurrent invitations take exactly the free seats', async () => {
    const store = await shared();
    const { workspaceId, userId } = await newTeam(store, 'team');
    const outcomes = await Promise.all(MANY.map((email) => invite(store, workspaceId, userId, email)));
    expect(counts(outcomes)).toEqual({ stored: 2, seat_limit_reached: 10 });
    expect((await store.teams.load(workspaceId))?.invites).toHaveLength(2);
  });

  test('concurrent invitations from two hubs take exactly the free seats', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const { workspaceId, userId } = await newTeam(one, 'team');
    const outcomes = await Promise.all(
      MANY.map((email, n) => invite(n % 2 === 0 ? one : other, workspaceId, userId, email)),
    );
    expect(counts(outcomes)).toEqual({ stored: 2, seat_limit_reached: 10 });
  });

  test('many users who join at once after a downgrade get only the seats of the new plan', async () => {
    const store = await shared();
    const { workspaceId, userId } = await newTeam(store, 'unlimited');
    const emails = MANY.map((email) => `join-${email}`);
    const invited = await Promise.all(emails.map((email) => invite(store, workspaceId, userId, email)));
    expect(counts(invited)).toEqual({ stored: 12 });
    await store.accounts.setPlan(workspaceId, 'team', auditEntry(workspaceId));
    const full = await Promise.all(emails.map((email) => join(store, workspaceId, email)));
    // The other invitations take seats, so nobody can join before some are withdrawn.
    expect(counts(full.map(([outcome]) => outcome))).toEqual({ seat_limit_reached: 12 });
    for (const email of emails.slice(2))
      await change(store, workspaceId, (team) => {
        const open = team.invites.find((one) => one.email === email);
        if (open === undefined) throw new Error('an invitation is missing');
        return { kind: 'withdrawn', invite: { ...open, state: 'withdrawn', closedAtMs: NOW_MS } };
      });
    const joined = await Promise.all(emails.map((email) => join(store, workspaceId, email)));
    expect(counts(joined.map(([outcome]) => outcome))).toEqual({ stored: 2, link_used: 10 });
    expect((await store.teams.load(workspaceId))?.members).toHaveLength(3);
  });

  test('concurrent acceptances of one invitation make one member', async () => {
    const store = await shared();
    const { workspaceId, userId } = await newTeam(store, 'unlimited');
    const email = `once-${MANY[0]}`;
    await invite(store, workspaceId, userId, email);
    const outcomes = await Promise.all(MANY.map(() => join(store, workspaceId, email)));
    expect(counts(outcomes.map(([outcome]) => outcome))).toEqual({ stored: 1, link_used: 11 });
  });

  test('one of two admins who remove each other at once remains', async () => {
    const store = await shared();
    for (let round = 0; round < 4; round += 1) {
      const { workspaceId, userId } = await newTeam(store, 'unlimited');
      const admins: string[] = [];
      for (const name of ['a', 'b']) {
        const email = `${name}${round}-${MANY[1]}`;
        await invite(store, workspaceId, userId, email);
        admins.push((await join(store, workspaceId, email))[1]);
      }
      const [a = '', b = ''] = admins;
      const outcomes = await Promise.all([
        remove(store, workspaceId, a, b),
        remove(store, workspaceId, b, a),
      ]);
      expect(outcomes.sort()).toEqual(['stored', 'unauthorized']);
      expect((await store.teams.load(workspaceId))?.members).toHaveLength(2);
    }
  });

  test('a change that was decided on the previous plan is not stored', async () => {
    const store = await shared();
    const { workspaceId, userId } = await newTeam(store, 'unlimited');
    const team = (await store.teams.load(workspaceId)) as Team;
    await store.accounts.setPlan(workspaceId, 'free', auditEntry(workspaceId));
    const before = await store.audit.head(workspaceId);
    const email = `plan-${MANY[0]}`;
    const decided = decideInvite(team, userId, { id: newId(), email, role: 'member' }, NOW_MS);
    const invited = { kind: 'invited', invite: decided, mail: mailTo(email) } as const;
    expect(await store.teams.store(team, invited, auditEntry(workspaceId))).toBe(false);
    expect((await store.mailOutbox.waiting(1_000)).filter(({ to }) => to === email)).toEqual([]);
    expect(await store.audit.head(workspaceId)).toEqual(before);
  });

  describe('a member who is removed', () => {
    async function aMember(store: Store) {
      const { workspaceId, userId: ownerId } = await newTeam(store, 'unlimited');
      const email = `member-${newId()}@example.org`;
      await invite(store, workspaceId, ownerId, email);
      const [, userId] = await join(store, workspaceId, email);
      return { workspaceId, ownerId, userId, email };
    }

    const tokenRow = {
      last4: '',
      createdAtMs: NOW_MS,
      name: undefined,
      usedAtMs: undefined,
      agentSinceMs: undefined,
      passkeyId: undefined,
      epoch: 1,
    };
    const keyRow = { last4: '', name: 'k', createdAtMs: NOW_MS, endpoints: undefined };

    test('loses sessions, access tokens and API keys, and other members keep theirs', async () => {
      const store = await shared();
      const { credentials } = store;
      const { workspaceId, ownerId, userId } = await aMember(store);
      const own = (await store.accounts.workspacesOf(userId)).find((one) => one.role === 'owner');
      const ids = { session: newId(), here: newId(), inOther: newId(), ofOwner: newId() };
      const expiresAtMs = NOW_MS + 1_000_000;
      const add = (id: string, user: string, kind: 'session' | 'personal', inWorkspace?: string) =>
        credentials.addAccessToken(
          { ...tokenRow, id, hash: id, kind, userId: user, workspaceId: inWorkspace, expiresAtMs },
          auditEntry(workspaceId),
        );
      await add(ids.session, userId, 'session');
      await add(ids.here, userId, 'personal', workspaceId);
      await add(ids.inOther, userId, 'personal', own?.workspace.id ?? '');
      await add(ids.ofOwner, ownerId, 'personal', workspaceId);
      const keys = [userId, ownerId].map((createdBy) => ({
        ...{ ...keyRow, id: newId(), hash: newId(), workspaceId, createdBy },
        ...{ expiresAtMs: undefined, revokedAtMs: undefined },
      }));
      for (const key of keys) await credentials.addApiKey(key, auditEntry(workspaceId));
      expect(await remove(store, workspaceId, ownerId, userId)).toBe('stored');
      const endOf = async (id: string) => (await credentials.accessTokenByHash(id))?.expiresAtMs;
      expect(await Promise.all(Object.values(ids).map(endOf))).toEqual([
        NOW_MS,
        NOW_MS,
        expiresAtMs,
        expiresAtMs,
      ]);
      const revoked = (await credentials.apiKeysOf(workspaceId)).map(({ revokedAtMs }) => revokedAtMs);
      expect(revoked).toEqual([NOW_MS, undefined]);
      expect(await store.accounts.member(workspaceId, userId)).toBeUndefined();
    });

    test('and returns gets an epoch that they never had', async () => {
      const store = await shared();
      const { workspaceId, ownerId, userId, email } = await aMember(store);
      const epochs = new Set<number | undefined>();
      const note = async () => epochs.add((await store.accounts.member(workspaceId, userId))?.epoch);
      await note();
      for (let round = 0; round < 3; round += 1) {
        await store.credentials.endAllOfUser(userId, auditEntry(workspaceId));
        await note();
        await remove(store, workspaceId, ownerId, userId);
        await invite(store, workspaceId, ownerId, email);
        await join(store, workspaceId, email);
        await note();
      }
      expect(epochs.size).toBe(7);
      expect(epochs.has(undefined)).toBe(false);
    });
  });

  test('signing out everywhere ends all credentials of one user in every workspace', async () => {
    const store = await shared();
    const one = await newWorkspace(store);
    const other = await newWorkspace(store);
    for (const { userId, workspaceId } of [one, other])
      await store.credentials.addAccessToken(
        {
          ...({ id: newId(), hash: newId(), kind: 'personal', userId, workspaceId } as const),
          ...{ last4: '', epoch: 0, createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 10 },
          ...{ name: undefined, usedAtMs: undefined, agentSinceMs: undefined, passkeyId: undefined },
        },
        auditEntry(workspaceId),
      );
    await store.credentials.endAllOfUser(one.userId, auditEntry(one.workspaceId));
    expect(await store.credentials.accessTokensOf(one.userId, NOW_MS)).toEqual([]);
    expect(await store.credentials.accessTokensOf(other.userId, NOW_MS)).toHaveLength(1);
    const epochs = await Promise.all(
      [one, other].map(async ({ userId, workspaceId }) => {
        const member = await store.accounts.member(workspaceId, userId);
        return member?.epoch;
      }),
    );
    expect(epochs).toEqual([1, 0]);
  });

  test('a key of a member who was removed at that moment is not stored', async () => {
    const store = await shared();
    const { workspaceId, userId: ownerId } = await newTeam(store, 'unlimited');
    const email = `late-${newId()}@example.org`;
    await invite(store, workspaceId, ownerId, email);
    const [, userId] = await join(store, workspaceId, email);
    const key = (createdBy: string) => ({
      ...{ id: newId(), hash: newId(), workspaceId, createdBy, name: 'k', last4: '', createdAtMs: NOW_MS },
      ...{ endpoints: undefined, expiresAtMs: undefined, revokedAtMs: undefined },
    });
    const add = (createdBy: string) => store.credentials.addApiKey(key(createdBy), auditEntry(workspaceId));
    const [isAdded, ...rest] = await Promise.all([
      add(userId),
      remove(store, workspaceId, ownerId, userId),
      ...Array.from({ length: 5 }, () => add(userId)),
    ]);
    expect([isAdded, rest[0]]).toEqual([true, 'stored']);
    expect(await add(userId)).toBe(false);
    const alive = (await store.credentials.apiKeysOf(workspaceId)).filter(
      ({ revokedAtMs }) => revokedAtMs === undefined,
    );
    expect(alive).toEqual([]);
  });
});
