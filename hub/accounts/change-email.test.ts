import { expect, test } from 'bun:test';
import type { Refusal } from '@svc/core/refusal';
import { auditEntry, NOW_MS, newId, newWorkspace } from '../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../platform/db/fixtures/stores.ts';
import { confirmEmail, requestEmailChange } from './change-email.ts';
import { LinkTokens } from './link-token.ts';

type Open = Parameters<Parameters<typeof onBothDatabases>[0]>[0]['open'];
type OpenStore = Awaited<ReturnType<Open>>;

const tokens = new LinkTokens(() => [new Uint8Array(32).fill(1)]);

/** The parts of a hub with this store. */
const hubWith = (store: OpenStore) => ({
  accounts: store.accounts,
  emailChanges: store.emailChanges,
  clock: { nowMs: () => NOW_MS, at: () => () => undefined },
  random: { uuid: () => newId(), bytes: (count: number) => new Uint8Array(count) },
  tokens,
  hubUrl: 'https://svc.example',
});
const { actor, from } = auditEntry('');

async function requested(store: OpenStore, userId: string, email: string) {
  const [old, fresh] = await requestEmailChange(hubWith(store), userId, email, { actor, from });
  const tokenIn = (text = '') => /email-change\/(\S+)/.exec(text)?.[1] ?? '';
  return { old: tokenIn(old?.text), fresh: tokenIn(fresh?.text) };
}

async function outcome(store: OpenStore, token: string): Promise<string> {
  try {
    return (await confirmEmail(hubWith(store), token, from)).outcome;
  } catch (error) {
    return (error as Refusal).code;
  }
}

onBothDatabases(({ open, newLocation }) => {
  test('both addresses confirm at two hubs at the same moment, and the address changes once', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    for (let round = 0; round < 10; round += 1) {
      const { userId } = await newWorkspace(one);
      const to = `${newId()}@example.com`;
      const { old, fresh } = await requested(one, userId, to);
      const outcomes = await Promise.all([
        outcome(one, old),
        outcome(other, fresh),
        outcome(other, old),
        outcome(one, fresh),
      ]);
      expect(outcomes.sort()).toEqual(['changed', 'link_used', 'link_used', 'waits']);
      expect(await other.accounts.userById(userId)).toEqual({ id: userId, email: to });
      expect(await other.accounts.userByEmail(to.toUpperCase())).toMatchObject({ id: userId });
    }
  });

  test('of two accounts that get one address at two hubs at the same moment one has it', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const to = `${newId()}@example.com`;
    const users = [await newWorkspace(one), await newWorkspace(other)] as const;
    const [first, second] = [
      await requested(one, users[0].userId, to),
      await requested(other, users[1].userId, to),
    ];
    await outcome(one, first.old);
    await outcome(other, second.old);
    const outcomes = await Promise.all([outcome(one, first.fresh), outcome(other, second.fresh)]);
    expect(outcomes.sort()).toEqual(['changed', 'failed']);
    const emails = await Promise.all(users.map(({ userId }) => one.accounts.userById(userId)));
    expect(emails.filter((user) => user?.email === to)).toHaveLength(1);
  });

  test('of two requests at the same moment one is pending', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const { userId } = await newWorkspace(one);
    const changes = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        requested(n % 2 === 0 ? one : other, userId, `${newId()}@example.com`),
      ),
    );
    const outcomes = [];
    for (const { old } of changes) outcomes.push(await outcome(one, old));
    expect(outcomes.filter((each) => each === 'waits')).toHaveLength(1);
    expect(outcomes.filter((each) => each === 'link_withdrawn')).toHaveLength(7);
  });

  test('a sign-in link that was made before the change is void, one from after it is not', async () => {
    await using store = await open();
    const email = `${newId()}@example.com`;
    const { userId } = await newWorkspace(store, email);
    const linkAt = async (createdAtMs: number) => {
      const link = { id: newId(), email, createdAtMs, expiresAtMs: NOW_MS + 900_000, usedAtMs: undefined };
      await store.signInLinks.add(link);
      return link;
    };
    const [before, after] = [await linkAt(NOW_MS - 1), await linkAt(NOW_MS + 1)];
    const { old, fresh } = await requested(store, userId, `${newId()}@example.com`);
    expect(await store.signInLinks.voidedAtMs(before)).toBeUndefined();
    await outcome(store, old);
    await outcome(store, fresh);
    expect(await store.signInLinks.voidedAtMs(before)).toBe(NOW_MS);
    expect(await store.signInLinks.voidedAtMs(after)).toBeUndefined();
    expect([await store.signInLinks.use(before, NOW_MS), await store.signInLinks.use(after, NOW_MS)]).toEqual(
      [false, true],
    );
  });
});
