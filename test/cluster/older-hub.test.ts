// What a hub of an earlier version does not enforce (decision 108, hubs of an earlier version): it is switched on only when no such hub
// runs. SVC_TEST_BEFORE names the commit of the version before, which knows neither second factors nor providers of workspaces.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SoftwareAuthenticator } from '@svc/hub/passkeys/fixtures/software-authenticator';
import { Approvals } from '../approvals.ts';
import { BEFORE, hasBefore, makeVersion } from '../beside/adjacent-versions.ts';
import { type HubVersion, versionIn } from '../beside/hub-version.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type NatsServer, startNats } from '../nats.ts';
import { BrokenProvider, CLIENT_ID, CLIENT_SECRET } from '../openid-providers.ts';
import { addPasskey, beginPasskey, passkeyAnswer } from '../passkeys.ts';
import { personWith, signIn } from '../people.ts';
import { PlainBrowser } from '../plain-browser.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { openLink, switchOn, userIdOf } from '../second-factor.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { clusterMissing, knowEachOther } from './hubs.ts';

const PLAIN = { name: 'plain', command: 'true' };
const WITH_PASSKEY = { command: 'true', approval_required: true, approval: 'passkey' };

describe.skipIf(clusterMissing !== undefined || !hasBefore)('beside a hub of the version before', () => {
  let folder: TemporaryFolder;
  let before: HubVersion;
  let postgres: PostgresServer;
  let nats: NatsServer;
  let provider: BrokenProvider;
  let env: Record<string, string>;
  let one: HubWorld;
  const older = async () => {
    const world = await hubWorld({ env, index: 1, version: before });
    await knowEachOther([one, world]);
    return world;
  };
  beforeAll(async () => {
    folder = await temporaryFolder();
    expect(await makeVersion(BEFORE, folder.path)).toBe(true);
    before = await versionIn(folder.path);
    [postgres, nats, provider] = await Promise.all([
      startPostgres({ syncs: false }),
      startNats(),
      BrokenProvider.start(),
    ]);
    env = {
      DATABASE_URL: await postgres.createDatabase(),
      NATS_URL: `nats://${nats.address}`,
      SVC_MASTER_KEY: '7'.repeat(64),
      SVC_HOST: 'localhost',
      SVC_RATE_LIMITS: 'off',
      SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.1/32',
    };
    one = await hubWorld({ env });
  }, 120_000);
  afterAll(async () => {
    for (const each of [one, postgres, nats, provider, folder] as (AsyncDisposable | undefined)[])
      await each?.[Symbol.asyncDispose]();
  }, 60_000);

  test('settings that it would not enforce are refused, and a later start of such a hub does not enforce them', async () => {
    const owner = await signIn(one, 'operator@localhost');
    const workspace = one.start.username;
    const lin = await new Approvals(one).member('lin@example.com');
    const key = new SoftwareAuthenticator();
    await addPasskey(one, owner, key);
    const refused = [503, { reason: 'older_hubs' }];
    {
      await using other = await older();
      const begun = await beginPasskey(one, owner, '/auth/second-factor/challenge');
      const passkey = passkeyAnswer(key, begun, await userIdOf(owner));
      const on = await begun.person.ask('PUT', '/auth/second-factor', { body: { passkey } });
      expect([on.status, on.body.details]).toEqual(refused);
      expect((await owner.ask('GET', '/auth/second-factor')).body.on).toBe(false);
      const demanded = await owner.ask('PUT', '/team/second-factor', { body: { required: true } });
      expect([demanded.status, demanded.body.details]).toEqual(refused);
      const named = await owner.ask('PUT', '/workspace/sign-in-provider', { body: providerBody() });
      expect([named.status, named.body.details]).toEqual(refused);
      expect(named.text).toContain('upgrade all hubs first');
      const made = await owner.ask('POST', '/endpoints', { body: { slug: 'made', ...WITH_PASSKEY } });
      expect([made.status, made.body.details]).toEqual(refused);
      await using agent = await one.agent({ endpoints: [PLAIN, { name: 'guarded', ...WITH_PASSKEY }] });
      expect(agent.welcome.registered.map(({ name }) => name)).toEqual([PLAIN.name]);
      expect(agent.welcome.refused).toMatchObject([
        { name: 'guarded', reason: expect.stringMatching(/^approval: passkey: 1 hub of an earlier version/) },
      ]);
      const listed = await personWith(other, '', owner.cookie).ask('GET', '/endpoints', { workspace });
      expect(listed.status).toBe(200);
      // At the older hub members act as before.
      expect((await personWith(other, '', lin.cookie).ask('GET', '/endpoints', { workspace })).status).toBe(
        200,
      );
    }
    await switchOn(one, owner, key);
    expect((await owner.ask('PUT', '/team/second-factor', { body: { required: true } })).status).toBe(200);
    expect((await owner.ask('PUT', '/workspace/sign-in-provider', { body: providerBody() })).status).toBe(
      200,
    );
    const pending = (await openLink(one, owner.email)).person;
    provider.person = { sub: 'lin', email: lin.email, email_verified: true };
    const [linking, browser] = [new PlainBrowser(), new PlainBrowser()];
    linking.addCookies(one.hub.hubUrl, lin.cookie);
    const start = `${one.hub.hubUrl}/login/workspace/${workspace}`;
    await linking.submit(await linking.open(start), {});
    await browser.open(start, ({ pathname }) => pathname === '/dashboard');
    const bound = browser.header(one.hub.hubUrl);
    expect((await personWith(one, '', bound).ask('GET', '/auth/sessions')).status).toBe(403);
    // The documents say so (operating.md): no hub of an earlier version may start on this database any more.
    await using other = await older();
    const there = (cookie: string) => personWith(other, '', cookie);
    expect((await lin.ask('GET', '/endpoints', { workspace })).status).toBe(403);
    expect((await there(lin.cookie).ask('GET', '/endpoints', { workspace })).status).toBe(200);
    expect((await there(bound).ask('GET', '/auth/sessions')).status).toBe(200);
    // It takes no half of a sign-in for a whole one.
    expect((await there(pending.cookie).ask('GET', '/workspace')).status).toBe(401);
  }, 120_000);

  const providerBody = () => ({
    issuer: provider.issuer,
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    name: 'Example & Sons',
  });
});
