// What people, owners and providers change of accounts and access is in the audit log, with who did it and what it is about
// (decision 48, the audit log). Other tests name the rows that are not here.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SoftwareAuthenticator } from '@svc/hub/passkeys/fixtures/software-authenticator';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { addPasskey } from '../passkeys.ts';
import { linkTo, type Person, readAnswer, signIn } from '../people.ts';
import { PlainBrowser } from '../plain-browser.ts';
import { switchOn } from '../second-factor.ts';

const ADA = 'ada@example.com';
const LIN = 'lin@example.com';

let world: HubWorld;
let ada: Person;
let lin: Person;

beforeAll(async () => {
  world = await hubWorld({
    // At an IP address there are no passkeys.
    env: { SVC_HOST: 'localhost', SVC_RATE_LIMITS: 'off', SVC_SCIM_WORKSPACES: '*' },
  });
  ada = await signIn(world, ADA);
  await ada.ask('PUT', '/workspace/username', { body: { username: 'acme' } });
  lin = await signIn(world, LIN);
  await ada.ask('POST', '/team/invite', { body: { email: LIN, role: 'member' } });
  await lin.ask('POST', await linkTo(world, LIN));
});
afterAll(() => world[Symbol.asyncDispose]());

/** The rows that the work adds to the log of ada's workspace, oldest first: action, actor, target. */
async function rowsOf(work: () => Promise<unknown>): Promise<unknown[]> {
  const log = async () =>
    (await ada.ask('GET', '/audit?limit=100')).body.items as {
      seq: number;
      action: string;
      actor: { name: string };
      target: { name: string };
    }[];
  const before = new Set((await log()).map(({ seq }) => seq));
  await work();
  return (await log())
    .filter(({ seq }) => !before.has(seq))
    .map(({ action, actor, target }) => [action, actor.name, target.name])
    .reverse();
}

/** A change that works, and the id of what it made. */
async function does(method: string, path: string, body?: object, who = ada): Promise<string> {
  const answer = await who.ask(method, path, {
    ...(body && { body }),
    ...(who === lin && { workspace: 'acme' }),
  });
  expect([method, path, answer.status < 300, answer.text]).toEqual([method, path, true, answer.text]);
  return String(answer.body.id);
}

describe('the log of a workspace has', () => {
  test('passkeys, the second factor and its codes', async () => {
    const authenticator = new SoftwareAuthenticator();
    const rows = await rowsOf(async () => {
      const id = await addPasskey(world, ada, new SoftwareAuthenticator(), 'Phone');
      await does('PATCH', `/auth/passkeys/${id}`, { name: 'Old phone' });
      await does('DELETE', `/auth/passkeys/${id}`);
      await addPasskey(world, ada, authenticator, 'Laptop');
      const [code, another] = await switchOn(world, ada, authenticator);
      const answer = await ada.ask('POST', '/auth/second-factor/recovery-codes', {
        body: { recovery_code: code },
      });
      const [fresh] = answer.body.recovery_codes as string[];
      expect(fresh).not.toBe(another);
      await does('POST', '/auth/second-factor/off', { recovery_code: fresh });
    });
    expect(rows).toEqual([
      ['account.passkey_added', ADA, ADA],
      ['account.passkey_renamed', ADA, ADA],
      ['account.passkey_removed', ADA, ADA],
      ['account.passkey_added', ADA, ADA],
      ['account.second_factor_on', ADA, ADA],
      ['account.recovery_codes_made', ADA, ADA],
      ['account.second_factor_off', ADA, ADA],
    ]);
  });

  test('access tokens, and programs that were allowed or refused', async () => {
    const decide = async (decision: string) => {
      const response = await fetch(`${world.hub.hubUrl}/auth/device`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: 'a program' }),
      });
      const { user_code: code } = (await readAnswer(response)).body;
      const browser = new PlainBrowser();
      browser.addCookies(world.hub.hubUrl, ada.cookie);
      await browser.submit(await browser.open(`${world.hub.hubUrl}/device?user_code=${code}`), { decision });
    };
    const rows = await rowsOf(async () => {
      await does('DELETE', `/tokens/${await does('POST', '/tokens', { name: 'ci' })}`);
      await decide('approve');
      await decide('deny');
    });
    expect(rows).toEqual([
      ['access_token.made', ADA, 'ci'],
      ['access_token.revoked', ADA, 'ci'],
      ['device.approved', ADA, 'a program'],
      ['device.denied', ADA, 'a program'],
    ]);
  });

  test('service accounts and their keys', async () => {
    const rows = await rowsOf(async () => {
      const id = await does('POST', '/service-accounts', { name: 'deploy', role: 'member' });
      const key = await does('POST', `/service-accounts/${id}/keys`, { name: 'first' });
      await does('DELETE', `/service-account-keys/${key}`);
      await does('DELETE', `/service-accounts/${id}`);
    });
    expect(rows).toEqual(
      ['made', 'key_made', 'key_revoked', 'disabled'].map((what) => [
        `service_account.${what}`,
        ADA,
        'deploy',
      ]),
    );
  });

  test('offers of the ownership, and how they end', async () => {
    const { items } = (await ada.ask('GET', '/team/members')).body as {
      items: { id: string; email: string }[];
    };
    const member = items.find(({ email }) => email === LIN)?.id;
    const rows = await rowsOf(async () => {
      await does('PUT', '/team/ownership/offer', { member });
      await does('DELETE', '/team/ownership/offer');
      await does('PUT', '/team/ownership/offer', { member });
      await does('DELETE', '/team/ownership/offer', undefined, lin);
    });
    expect(rows).toEqual([
      ['workspace.ownership_offered', ADA, LIN],
      ['workspace.ownership_withdrawn', ADA, LIN],
      ['workspace.ownership_offered', ADA, LIN],
      ['workspace.ownership_declined', LIN, LIN],
    ]);
  });

  test('what a provider changes by SCIM, and its token', async () => {
    const rows = await rowsOf(async () => {
      const { token } = (await ada.ask('POST', '/team/scim/token', { body: {} })).body;
      const scim = async (method: string, path: string, body?: object) => {
        const response = await fetch(`${world.hub.hubUrl}/scim/v2${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
          ...(body && { body: JSON.stringify(body) }),
        });
        expect([method, path, response.ok]).toEqual([method, path, true]);
        return response.status === 204 ? '' : ((await response.json()) as { id: string }).id;
      };
      const user = await scim('POST', '/Users', { userName: 'idle@example.com', active: false });
      await scim('PUT', `/Users/${user}`, {
        userName: 'idle@example.com',
        active: false,
        displayName: 'Idle',
      });
      const group = await scim('POST', '/Groups', { displayName: 'ops' });
      await scim('PUT', `/Groups/${group}`, { displayName: 'operations' });
      await scim('DELETE', `/Groups/${group}`);
      await scim('DELETE', `/Users/${user}`);
      await does('DELETE', '/team/scim/token');
    });
    expect(rows).toEqual([
      ['scim.token_made', ADA, expect.stringMatching(/^….{4}$/)],
      ['scim.user_added', 'SCIM', 'idle@example.com'],
      ['scim.user_changed', 'SCIM', 'idle@example.com'],
      ['scim.group_added', 'SCIM', 'ops'],
      ['scim.group_changed', 'SCIM', 'operations'],
      ['scim.group_removed', 'SCIM', 'operations'],
      ['scim.user_removed', 'SCIM', 'idle@example.com'],
      ['scim.token_removed', ADA, expect.stringMatching(/^….{4}$/)],
    ]);
  });

  test('what old URLs answer', async () => {
    const rows = await rowsOf(async () => {
      await does('PATCH', '/workspace/username', { username: 'acme-two', old_urls: 'redirect' });
      await does('PATCH', '/workspace/former-usernames/acme', { old_urls: 'gone' });
      await does('PATCH', '/workspace/username', { username: 'acme', old_urls: 'gone' });
    });
    expect(rows).toEqual([
      ['workspace.username_changed', ADA, 'acme-two'],
      ['workspace.old_urls_changed', ADA, 'acme'],
      ['workspace.username_changed', ADA, 'acme'],
    ]);
  });

  test('that a person signed out everywhere', async () => {
    const rows = await rowsOf(async () => {
      await does('POST', '/auth/logout/everywhere');
      ada = await signIn(world, ADA);
    });
    expect(rows).toEqual([
      ['account.signed_out_everywhere', ADA, ADA],
      ['account.signed_in', ADA, ADA],
    ]);
  });
});
