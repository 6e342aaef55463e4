// Forms without scripts say where they come from, and browsers load nothing ahead of time (decision 64, borders of people
// and browsers).
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Approvals } from '../approvals.ts';
import { postForm } from '../forms.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { linkTo } from '../people.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
let world: HubWorld;
beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
});
afterAll(() => world[Symbol.asyncDispose]());

async function mailedLink(email: string): Promise<string> {
  const body = JSON.stringify({ email });
  await fetch(`${world.hub.hubUrl}/auth/magic-link`, { method: 'POST', headers: JSON_TYPE, body });
  return linkTo(world, email);
}

test('a form that says nothing of where it comes from is refused on a page that says what is missing', async () => {
  const link = new URL(await mailedLink('ada@example.com')).pathname;
  const forms = [
    link,
    '/login',
    '/device',
    '/device/sign-in',
    '/join/unknown',
    '/join/unknown/sign-in',
    '/auth/email-change/unknown',
    '/approve/unknown',
    '/approve/unknown/sign-in',
  ];
  for (const path of forms) {
    const answer = await fetch(`${world.hub.hubUrl}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ email: 'ada@example.com' }),
    });
    const text = await answer.text();
    expect([path, answer.status]).toEqual([path, 403]);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(text).toContain(`Origin: ${world.hub.hubUrl}`);
    expect(answer.headers.get('set-cookie')).toBeNull();
  }
  // The link is as good as before; its form signs in by either header.
  const signedIn = await fetch(`${world.hub.hubUrl}${link}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  expect(signedIn.status).toBe(303);
  expect((await postForm(await mailedLink('ada@example.com'))).status).toBe(303);
});

const AHEAD: [name: string, value: string][] = [
  ['X-Moz', 'prefetch'],
  ['Purpose', 'prefetch'],
  ['Sec-Purpose', 'prefetch;prerender'],
];

test.each(AHEAD)('%s: %s runs nothing and opens no link', async (name, value) => {
  const slug = `ahead-${name.toLowerCase()}`;
  await using agent = await world.agent({
    endpoints: [{ name: slug, command: 'true', public: true }],
  });
  const refused = await fetch(world.urlOf(slug), { headers: { [name]: value } });
  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain('ahead of time');
  const link = await mailedLink('ada@example.com');
  for (const url of [link, `${world.hub.hubUrl}/device`, `${world.hub.hubUrl}/approve/unknown`])
    expect([url, (await fetch(url, { headers: { [name]: value } })).status]).toEqual([url, 403]);
  expect((await fetch(link)).status).toBe(200);
  expect(agent.unread('run')).toBe(0);
});

test('an approval is not shown ahead of time, and waits on', async () => {
  const approvals = new Approvals(world);
  await using _agent = await world.agent({
    endpoints: [{ name: 'gated', command: 'true', approval_required: true }],
  });
  const { path, approval_id: id } = await approvals.callForApproval('gated');
  expect((await approvals.page(path, { headers: { 'x-moz': 'prefetch' } })).status).toBe(403);
  expect(await approvals.approval(id)).toMatchObject({ status: 'pending_approval' });
  expect((await approvals.page(path)).status).toBe(200);
});

test('an address that mixes scripts is shown in punycode on the page that signs in', async () => {
  const page = await fetch(await mailedLink('\u0430dmin@example.com'));
  const text = await page.text();
  expect(text).toContain('<b>xn--dmin-43d@example.com</b>');
  expect(text).not.toContain('\u0430dmin');
});
