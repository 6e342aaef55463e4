// The page of a pending call and its link: reference 4.5, decisions 34 to 36.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Approvals } from '../approvals.ts';
import { postForm } from '../forms.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { linkTo, readAnswer, sessionIn } from '../people.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';

const HELD = { command: 'true', approval_required: true };
const ENDPOINTS = [
  {
    ...HELD,
    name: 'deploy',
    command: 'deploy {{target}} --note {{note}} && echo done',
    args: [
      { name: 'target', type: 'text', default: 'eu' },
      { name: 'note', type: 'text' },
    ],
  },
  { ...HELD, name: 'query', command: './query.sh {{q}}', args: [{ name: 'q', type: 'code' }] },
  { ...HELD, name: 'narrow', approvers: ['admin', 'lin@example.com'] },
  { ...HELD, name: 'others', allow_self: false },
];

let world: HubWorld;
let agent: ScriptedAgent;
let approvals: Approvals;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  agent = await world.agent({ endpoints: ENDPOINTS });
  approvals = new Approvals(world);
});
afterEach(() => world[Symbol.asyncDispose]());

describe('the page', () => {
  test('says what will run, where, for whom, when it was asked for and how long is left', async () => {
    const { path, executionId } = await approvals.callForApproval('deploy?target=us');
    world.clock.move(60_000);
    const { status, text, headers } = await approvals.page(path);
    expect(status).toBe(200);
    expect(text).toContain(
      'deploy <span class="v">us</span> --note <span class="s">no note</span> &amp;&amp; echo done',
    );
    expect(text).toContain('<dt>Agent</dt><dd><code>default</code>');
    expect(text).toContain('key &quot;');
    expect(text).toContain('2026-11-20 12:00:00 UTC');
    expect(text).toContain('29 minutes left, until');
    expect(text).toContain(executionId);
    expect(text).not.toContain('<script');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('says loudly that a value of type code is run as a program, in the API too', async () => {
    const { path, approval_id: id } = await approvals.callForApproval('query?q=drop');
    const { text } = await approvals.page(path);
    expect(text).toMatch(
      /class="code" role="alert"><code>q<\/code>: Code: whatever you type is run as a program by query\.sh\./,
    );
    expect(text).not.toContain('none of it is read as code');
    expect(await approvals.approval(id)).toMatchObject({
      values: [{ name: 'q', value: 'drop', notice: expect.stringMatching(/^Code: /) }],
    });
    expect((await approvals.page((await approvals.callForApproval('deploy')).path)).text).not.toContain(
      'class="code"',
    );
  });

  test('decides nothing when it is only read: a hundred times by GET, HEAD and OPTIONS, with any query', async () => {
    const { approval_id: id, path } = await approvals.callForApproval();
    const methods = ['GET', 'HEAD', 'OPTIONS'];
    const scans = Array.from({ length: 100 }, (_, n) =>
      approvals.page(`${path}${n % 2 === 0 ? '' : '?decision=approve&nonce=x'}`, {
        method: methods[n % 3] ?? 'GET',
      }),
    );
    await Promise.all(scans);
    expect(await approvals.approval(id)).toMatchObject({ status: 'pending_approval' });
    expect((await approvals.decide(id, 'approve')).status).toBe(200);
  });

  test('is closed after too many tries for the address that made them, and for no other holder of the link', async () => {
    await using limited = await hubWorld({ env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } });
    await using _agent = await limited.agent({ endpoints: ENDPOINTS });
    const own = new Approvals(limited);
    const { path } = await own.callForApproval();
    const { text } = await own.page(path);
    const nonce = /name="nonce" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const send = async (address: string, sent: string) => {
      const headers = { origin: limited.hub.hubUrl, 'x-forwarded-for': address };
      const body = new URLSearchParams({ decision: 'deny', nonce: sent });
      return (await own.page(path, { method: 'POST', headers, body })).status;
    };
    for (let tries = 0; tries < 10; tries += 1) expect(await send('203.0.113.7', 'junk')).toBe(403);
    expect(await send('203.0.113.7', nonce)).toBe(429);
    expect(await send('203.0.113.8', nonce)).toBe(200);
  });

  test('decides nothing by a POST that is not its form', async () => {
    const { approval_id: id, path } = await approvals.callForApproval();
    const foreign = await approvals.opened((await approvals.callForApproval()).path);
    const headers = { origin: world.hub.hubUrl };
    const post = (body: URLSearchParams | string, more = {}) =>
      approvals.page(path, { method: 'POST', body, headers: { ...headers, ...more } });
    const { text } = await approvals.page(path);
    const nonce = /name="nonce" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const refused = [
      await post(new URLSearchParams({ decision: 'approve' })),
      await post(new URLSearchParams({ decision: 'approve', nonce: path.split('/').at(-1) ?? '' })),
      await post(JSON.stringify({ decision: 'approve', nonce }), { 'content-type': 'application/json' }),
      await post(new URLSearchParams({ decision: 'maybe', nonce })),
      await post(new URLSearchParams({ decision: 'approve', nonce }), { origin: 'https://evil.example' }),
      await post(new URLSearchParams({ decision: 'approve', nonce }), { 'sec-fetch-site': 'cross-site' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 415, 400, 403, 403]);
    expect(await approvals.approval(id)).toMatchObject({ status: 'pending_approval' });
    expect((await foreign('deny')).status).toBe(200);
    expect(await approvals.approval(id)).toMatchObject({ status: 'pending_approval' });
  });

  test('decides by its form, once; after that it is gone and says by whom and when', async () => {
    const { path, executionId } = await approvals.callForApproval();
    const [first, second] = [await approvals.opened(path), await approvals.opened(path)];
    const approved = await first('approve', 'looks <b>fine</b>');
    expect([approved.status, approved.text]).toEqual([
      200,
      expect.stringContaining('✓ Approved by somebody with the link'),
    ]);
    expect((await agent.receive('run')).execution_id).toBe(executionId);
    world.clock.move(90_000);
    for (const gone of [await second('deny'), await approvals.page(path)]) {
      expect(gone.status).toBe(410);
      expect(gone.text).toContain('✓ Approved by somebody with the link');
      expect(gone.text).toContain('2026-11-20 12:00:00 UTC');
      expect(gone.text).toContain('looks &lt;b&gt;fine&lt;/b&gt;');
      expect(gone.text).not.toContain('<button');
    }
    expect(agent.unread('run')).toBe(0);
  });

  test('of an unknown link does not exist', async () => {
    const { path } = await approvals.callForApproval();
    const invite = path.replace('/approve/', '/join/');
    const changed = `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`;
    for (const unknown of ['/approve/x', changed, `/approve/${'A'.repeat(64)}`, invite])
      expect([unknown, (await approvals.page(unknown)).status]).toEqual([unknown, 404]);
  });

  test('has its token in no line of the log', async () => {
    const { path } = await approvals.callForApproval();
    await (await approvals.opened(path))('deny');
    await approvals.page(`${path}x`);
    expect(world.logLines.join('')).not.toContain(path.split('/').at(-1) ?? '');
  });
});

describe('where approvers or allow_self narrow who decides', () => {
  test('the link only shows, and a member decides after signing in, back on the same page', async () => {
    await approvals.member('lin@example.com');
    for (const slug of ['narrow', 'others']) {
      const { approval_id: id, path } = await approvals.callForApproval(slug);
      const shown = await approvals.page(path);
      expect(shown.text).toContain('Sign in to decide');
      expect(shown.text).not.toContain('name="decision"');
      const sent = await approvals.page(`${path}/sign-in`, {
        method: 'POST',
        headers: { origin: world.hub.hubUrl },
        body: new URLSearchParams({ email: 'lin@example.com' }),
      });
      expect(sent.status).toBe(202);
      const cookie = sent.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const confirmed = await postForm(await linkTo(world, 'lin@example.com'), { cookie });
      expect(new URL(confirmed.headers.get('location') ?? '', world.hub.hubUrl).pathname).toBe(path);
      const decide = await approvals.opened(path, sessionIn(confirmed));
      const decided = await decide('approve');
      expect([decided.status, decided.text]).toEqual([
        200,
        expect.stringContaining('✓ Approved by lin@example.com'),
      ]);
      expect(await approvals.approval(id)).toMatchObject({ decided_by: 'lin@example.com' });
    }
  });

  test('a form that is made up decides nothing without a member behind it', async () => {
    const { approval_id: id, path } = await approvals.callForApproval('narrow');
    const lin = await approvals.member('lin@example.com');
    // The nonce of a page that an approver opened.
    const { text } = await approvals.page(path, { headers: { cookie: lin.cookie } });
    const nonce = /name="nonce" value="([^"]+)"/.exec(text)?.[1] ?? '';
    expect(nonce).not.toBe('');
    const kim = await approvals.member('kim@example.com');
    for (const cookie of ['', kim.cookie]) {
      const post = await approvals.page(path, {
        method: 'POST',
        headers: { origin: world.hub.hubUrl, cookie },
        body: new URLSearchParams({ decision: 'approve', nonce }),
      });
      expect(post.status).toBe(401);
    }
    expect((await approvals.page(path, { headers: { cookie: kim.cookie } })).text).toContain(
      'Only the approvers of this endpoint can decide',
    );
    expect(await approvals.approval(id)).toMatchObject({ status: 'pending_approval' });
  });

  test('the caller gets the answer that another person has to decide', async () => {
    const response = await fetch(`${world.hub.hubUrl}/auth/magic-link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: await ownerEmail() }),
    });
    expect(response.status).toBe(202);
    const link = await linkTo(world, await ownerEmail());
    const session = sessionIn(await postForm(link));
    const { path } = await approvals.callForApproval('others');
    const shown = await approvals.page(path, { headers: { cookie: session } });
    expect(shown.text).toContain('You made this call');
    expect(shown.text).not.toContain('name="decision"');
  });
});

async function ownerEmail(): Promise<string> {
  const { body } = await readAnswer(await world.manage('/audit'));
  const items = body.items as { actor: { kind: string; name: string } }[];
  return items.find(({ actor }) => actor.name.includes('@'))?.actor.name ?? 'operator@localhost';
}

test('values that would hide, turn around or end what stands beside them show as what they are', async () => {
  const hostile = '\u202Egnp.exe\u2066 </pre><script>alert(1)</script>\u001b[2J\u200B"\'&amp;';
  const note = `start ${'x'.repeat(10_000)} end`;
  const query = new URLSearchParams({ target: `t${hostile}`, note }).toString();
  const { path, approval_id: id } = await approvals.callForApproval(`deploy?${query}`);
  const { text } = await approvals.page(path);
  expect(text).not.toContain('<script');
  expect(text).not.toMatch(/[\u202E\u2066\u001b\u200B]/);
  for (const mark of ['U+202E', 'U+2066', '\\e', 'U+200B'])
    expect(text).toContain(`title="Invisible character">${mark}</span>`);
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  // The long value is cut in the command, so that its end is in sight, and whole below.
  const command = /<pre class="command"[^>]*>([\s\S]*?)<\/pre>/.exec(text)?.[1] ?? '';
  expect(command.length).toBeLessThan(2_500);
  expect(command).toContain('9,810 characters more, shown below …</span>');
  expect(command).toContain('x end</span>');
  expect(command).toEndWith(' &amp;&amp; echo done');
  expect(text).toContain(`${'x'.repeat(10_000)} end</pre>`);
  const shown = await approvals.approval(id);
  expect(String(shown.command)).not.toMatch(/[\u202E\u2066\u001b\u200B]/);
  expect(String(shown.command)).toEndWith(' && echo done');
});
