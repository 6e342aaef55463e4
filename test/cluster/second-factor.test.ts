// Second factors with two hubs on one PostgreSQL and one bus (decision 100, second factor).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SoftwareAuthenticator } from '@svc/hub/passkeys/fixtures/software-authenticator';
import { Approvals } from '../approvals.ts';
import type { HubWorld } from '../hub-world.ts';
import { addPasskey } from '../passkeys.ts';
import { type Person, personWith, signIn } from '../people.ts';
import { openLink, sendFactor, switchOn } from '../second-factor.ts';
import { clusterMissing, type TwoHubs, twoHubs } from './hubs.ts';

describe.skipIf(clusterMissing !== undefined)('two hubs', () => {
  let hubs: TwoHubs;
  let one: HubWorld;
  let other: HubWorld;
  let owner: Person;
  let codes: string[];
  beforeAll(async () => {
    hubs = await twoHubs({ SVC_HOST: 'localhost', SVC_RATE_LIMITS: 'off' });
    ({ one, other } = hubs);
    owner = await signIn(one, 'operator@localhost');
    const key = new SoftwareAuthenticator();
    await addPasskey(one, owner, key);
    codes = await switchOn(one, owner, key);
  }, 60_000);
  afterAll(() => hubs[Symbol.asyncDispose](), 60_000);

  test('take a recovery code once, though it comes to both at the same moment', async () => {
    for (const code of codes.slice(0, 3)) {
      const pending = [await openLink(one, owner.email), await openLink(one, owner.email)];
      const answers = await Promise.all(
        [one, other].map((world, at) =>
          sendFactor(world, { cookie: pending[at]?.person.cookie ?? '' }, { code }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 401]);
    }
  });

  test('refuse a member without a second factor before the demand at one of them is answered', async () => {
    const lin = await new Approvals(one).member('lin@example.com');
    const workspace = one.start.username;
    const made = await lin.ask('POST', '/api-keys', { body: { name: 'laptop' }, workspace });
    const call = () => other.call('none', { headers: { 'x-api-key': String(made.body.token) } });
    const list = () => personWith(other, lin.email, lin.cookie).ask('GET', '/endpoints', { workspace });
    const demand = (required: boolean) => owner.ask('PUT', '/team/second-factor', { body: { required } });
    // The other hub has the key and the rights in its caches.
    expect([(await call()).status, (await list()).status]).toEqual([404, 200]);
    expect((await demand(true)).status).toBe(200);
    expect([(await call()).status, (await list()).status]).toEqual([403, 403]);
    expect((await demand(false)).status).toBe(200);
    expect([(await call()).status, (await list()).status]).toEqual([404, 200]);
  });
});
