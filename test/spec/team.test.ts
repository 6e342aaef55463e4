// The team of a workspace: references 2.6, 3.2, 3.4, 4.3 and 5, decisions 4, 34, 44 and 46.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { postForm } from '../forms.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { linkTo, mailTo, type Person, personWith, readAnswer, sessionIn, signIn } from '../people.ts';
import { ScriptedAgent } from '../scripted-agent.ts';

const DAY_MS = 86_400_000;

let world: HubWorld;
/** The owner of the workspace "home". */
let ada: Person;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  ada = await signIn(world, 'ada@example.com');
  await ada.ask('PUT', '/workspace/username', { body: { username: 'home' } });
});
afterEach(() => world[Symbol.asyncDispose]());

const HOME = { workspace: 'home' };

async function invite(email: string, role = 'member'): Promise<{ id: string; link: string }> {
  const { status, body } = await ada.ask('POST', '/team/invite', { body: { email, role } });
  expect(status).toBe(201);
  return { id: String(body.id), link: await linkTo(world, email) };
}

/** Somebody with an account of their own who has joined the team. */
async function member(email: string, role = 'member'): Promise<Person> {
  const { link } = await invite(email, role);
  const person = await signIn(world, email);
  expect((await person.ask('POST', link)).status).toBe(200);
  return person;
}

async function members(): Promise<{ id: string; email: string; role: string }[]> {
  const { body } = await ada.ask('GET', '/team/members?limit=100');
  return body.items as { id: string; email: string; role: string }[];
}

const idOf = async ({ email }: Person) => (await members()).find((one) => one.email === email)?.id ?? '';

test('a former member who names the workspace stays signed in, and gets the same answer whether it exists or not', async () => {
  const lin = await member('lin@example.com');
  const status = async (workspace: string) => (await lin.ask('GET', '/endpoints', { workspace })).status;
  expect(await status('home')).toBe(200);
  await ada.ask('DELETE', `/team/members/${await idOf(lin)}`);
  const back = await signIn(world, 'lin@example.com');
  const answers = async () => [
    await back.ask('GET', '/endpoints', HOME),
    await back.ask('GET', '/workspace', HOME),
    await back.ask('GET', '/executions', HOME),
    await back.ask('GET', '/endpoints', { workspace: 'nobody' }),
  ];
  for (const { status: refused, body } of await answers())
    expect([refused, body.code]).toEqual([403, 'forbidden']);
  await ada.ask('POST', '/workspace/deletion', { body: { username: 'home' } });
  for (const { status: refused, body } of await answers())
    expect([refused, body.code]).toEqual([403, 'forbidden']);
  expect((await back.ask('GET', '/endpoints')).status).toBe(200);
});

describe('an invitation', () => {
  test('is in its list without its token, which is in the mail only', async () => {
    const made = await ada.ask('POST', '/team/invite', { body: { email: 'lin@example.com', role: 'admin' } });
    expect(made.body).toEqual({
      id: expect.any(String),
      email: 'lin@example.com',
      role: 'admin',
      status: 'pending',
      created_at: '2026-11-20T12:00:00.000Z',
      expires_at: '2026-11-27T12:00:00.000Z',
    });
    const { body } = await ada.ask('GET', '/team/invites');
    expect(body.items).toEqual([made.body]);
    const { subject, text } = await mailTo(world, 'lin@example.com');
    expect(subject).toBe('ada@example.com invites you to home on svc');
    expect(text).toContain(`${world.hub.hubUrl}/join/`);
    expect(text.replaceAll('\n', ' ')).toContain('as an admin');
  });

  test('makes an account for an address without one and signs it in, with one press', async () => {
    const { link } = await invite('Lin@example.com', 'admin');
    const shown = await readAnswer(await fetch(link));
    expect(shown.text).toContain('<button>Join team</button>');
    expect(await members()).toEqual([]);
    expect((await postForm(link, { origin: 'https://evil.example' })).status).toBe(403);
    const joined = await postForm(link);
    expect([joined.status, joined.headers.get('refresh')]).toEqual([200, '0; url=/dashboard?workspace=home']);
    expect(await members()).toEqual([expect.objectContaining({ email: 'Lin@example.com', role: 'admin' })]);
    const lin = personWith(world, 'Lin@example.com', sessionIn(joined));
    const { body } = await lin.ask('GET', '/workspace', { workspace: 'home' });
    expect(body).toMatchObject({ email: 'Lin@example.com', role: 'admin' });
    const again = await postForm(link);
    expect([again.status, sessionIn(again)]).toEqual([410, '']);
  });

  test('leads a person with an account through the sign-in into the team, and nowhere else', async () => {
    await signIn(world, 'Lin@example.com');
    const { link } = await invite('Lin@example.com', 'admin');
    const shown = await readAnswer(await fetch(link));
    expect(shown.text).toContain('ada@example.com');
    expect(shown.text).toContain('home');
    expect((await postForm(link)).status).toBe(401);
    const asked = await postForm(`${link}/sign-in`);
    expect(asked.status).toBe(202);
    const back = asked.headers.get('set-cookie')?.split(';')[0] ?? '';
    const confirmed = await postForm(await linkTo(world, 'lin@example.com'), { cookie: back });
    expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, new URL(link).pathname]);
    const lin = personWith(world, 'Lin@example.com', sessionIn(confirmed));
    expect(await members()).toEqual([]);
    expect((await lin.ask('GET', link)).text).toContain('<button>Join team</button>');
    expect((await lin.ask('POST', link)).status).toBe(200);
    expect(await members()).toEqual([
      expect.objectContaining({
        email: 'Lin@example.com',
        role: 'admin',
        joined_at: '2026-11-20T12:00:00.000Z',
      }),
    ]);
    expect((await ada.ask('GET', '/team/invites')).body.items).toEqual([]);
    expect((await lin.ask('GET', '/workspace', HOME)).body).toMatchObject({
      username: 'home',
      role: 'admin',
    });
  });

  test('is not changed by reading it: a hundred GET, HEAD and OPTIONS', async () => {
    const { link } = await invite('lin@example.com');
    const requests = Array.from({ length: 100 }, (_, n) =>
      fetch(link, { method: ['GET', 'HEAD', 'OPTIONS'][n % 3] ?? '' }),
    );
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 405]));
    const lin = await signIn(world, 'lin@example.com');
    for (const method of ['GET', 'HEAD', 'OPTIONS']) await lin.ask(method, link);
    expect(await members()).toEqual([]);
    expect((await lin.ask('POST', link)).status).toBe(200);
  });

  test('has pages that nothing keeps, frames or learns of', async () => {
    const { headers } = await fetch((await invite('lin@example.com')).link);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ]);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test('is for the invited address: any other holder of the link gets 403', async () => {
    const { link } = await invite('lin@example.com');
    const eve = await signIn(world, 'eve@example.com');
    expect((await eve.ask('GET', link)).text).not.toContain('<button>Join team</button>');
    expect((await eve.ask('POST', link)).status).toBe(403);
    expect(await members()).toEqual([]);
    expect((await (await signIn(world, 'LIN@example.com')).ask('POST', link)).status).toBe(200);
  });

  test('works once: then 410 on GET and POST, to everybody', async () => {
    const { link } = await invite('lin@example.com');
    const lin = await signIn(world, 'lin@example.com');
    const all = await Promise.all(Array.from({ length: 20 }, () => lin.ask('POST', link)));
    const statuses = all.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(19).fill(410)]);
    const answers = await Promise.all([
      lin.ask('GET', link),
      lin.ask('POST', link),
      readAnswer(await fetch(link)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([410, 410, 410]);
  });

  test('is over after seven days, can be withdrawn, and is 404 when it never was', async () => {
    const [first, second] = [await invite('lin@example.com'), await invite('max@example.com')];
    const lin = await signIn(world, 'lin@example.com');
    expect((await ada.ask('DELETE', `/team/invites/${second.id}`)).status).toBe(204);
    expect((await ada.ask('DELETE', `/team/invites/${second.id}`)).status).toBe(404);
    const max = await signIn(world, 'max@example.com');
    expect((await max.ask('POST', second.link)).status).toBe(410);
    const changed = `${first.link.slice(0, -1)}${first.link.endsWith('A') ? 'B' : 'A'}`;
    for (const unknown of [changed, `${world.hub.hubUrl}/join/x`, first.link.replace('/join/', '/login/')])
      expect((await lin.ask('POST', unknown)).status).toBe(404);
    world.clock.move(7 * DAY_MS);
    const late = await signInLater('lin@example.com');
    for (const method of ['GET', 'POST']) expect((await late.ask(method, first.link)).status).toBe(410);
  });

  test('that is sent again works by its newest mail only', async () => {
    const { id, link } = await invite('lin@example.com');
    world.clock.move(60_000);
    const again = await ada.ask('POST', `/team/invite/${id}/resend`);
    expect([again.status, again.body.id, again.body.expires_at]).toEqual([
      200,
      id,
      '2026-11-27T12:01:00.000Z',
    ]);
    const newer = await linkTo(world, 'lin@example.com');
    expect(newer).not.toBe(link);
    const lin = await signIn(world, 'lin@example.com');
    expect([(await lin.ask('POST', link)).status, (await lin.ask('POST', newer)).status]).toEqual([410, 200]);
  });

  test('is refused for members and for people who are invited already', async () => {
    await member('lin@example.com');
    await invite('max@example.com');
    const again = async (email: string) => {
      const { status, body } = await ada.ask('POST', '/team/invite', { body: { email, role: 'member' } });
      return [status, body.code];
    };
    expect(await again('LIN@example.com')).toEqual([409, 'already_member']);
    expect(await again('ada@example.com')).toEqual([409, 'already_member']);
    expect(await again('Max@example.com')).toEqual([409, 'already_invited']);
  });

  test('cannot fill a mailbox: ten a minute, then 429', async () => {
    await using limited = await hubWorld();
    const owner = await signIn(limited, 'ada@example.com');
    const { body } = await owner.ask('POST', '/team/invite', {
      body: { email: 'lin@example.com', role: 'member' },
    });
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1)
      statuses.push((await owner.ask('POST', `/team/invite/${body.id}/resend`)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
  });

  test('gives no role that does not exist, nor that of the owner', async () => {
    for (const role of ['owner', 'root', '']) {
      const { status, body } = await ada.ask('POST', '/team/invite', {
        body: { email: 'lin@example.com', role },
      });
      expect([status, body.code]).toEqual([400, 'invalid_argument']);
    }
  });
});

/** An agent in the workspace "home", with an endpoint "job". */
async function anAgent(): Promise<ScriptedAgent> {
  const { body } = await ada.ask('POST', '/agent-tokens', { body: { name: 'a' } });
  const endpoints = [
    { name: 'job', command: 'true' },
    { name: 'guarded', command: 'true', approval_required: true },
  ];
  return ScriptedAgent.connect({ hubUrl: world.hub.hubUrl, token: String(body.token), endpoints });
}

/** The start's access token, with which mails are read, lives for 12 hours. */
async function signInLater(email: string): Promise<Person> {
  const { accessToken } = await world.hub.firstRun();
  const later = {
    ...world,
    get hub() {
      return world.hub;
    },
    manage: (path: string) =>
      fetch(`${world.hub.hubUrl}${path}`, { headers: { authorization: `Bearer ${accessToken}` } }),
  };
  return signIn(later, email);
}

describe('where sign-up is for the invited', () => {
  test('an invitation is as good as an account, and the answer is the same for everybody', async () => {
    await using closed = await hubWorld({ env: { SVC_RATE_LIMITS: 'off', SVC_SIGNUP: 'invited' } });
    const owner = await signIn(closed, 'operator@localhost');
    const { body } = await owner.ask('POST', '/team/invite', {
      body: { email: 'lin@example.com', role: 'member' },
    });
    expect(body.status).toBe('pending');
    const link = await linkTo(closed, 'lin@example.com');
    const ask = async (email: string) => {
      const response = await fetch(`${closed.hub.hubUrl}/auth/magic-link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      });
      return [response.status, await response.text()];
    };
    // The expensive part is the same, too: one write to the store.
    const writes = async () => {
      const text = await (await fetch(`${closed.hub.hubUrl}/metrics`)).text();
      return Number(/^svc_store_writes_total (\d+)/m.exec(text)?.[1]);
    };
    // Background writes come between, such as that of a delivered mail: the least of several counts is that of the answer.
    const counted = async (email: string) => {
      const answers: unknown[] = [];
      const counts: number[] = [];
      while (counts.length < 5 || Math.min(...counts) > 1) {
        const before = await writes();
        answers.push(await ask(email));
        counts.push((await writes()) - before);
      }
      return [answers[0], Math.min(...counts)];
    };
    const forStranger = await counted('eve@example.com');
    expect(forStranger).toEqual(await counted('lin@example.com'));
    expect(forStranger).toEqual([[202, expect.any(String)], 1]);
    const lin = await signIn(closed, 'lin@example.com');
    expect((await lin.ask('POST', link)).status).toBe(200);
    const outbox = await (await closed.manage('/outbox')).text();
    expect(outbox).not.toContain('eve@example.com');
  });
});

describe('seats', () => {
  test('are exact though fifty invitations and then all who were invited come at once', async () => {
    await using small = await hubWorld({ env: { SVC_RATE_LIMITS: 'off', SVC_DEFAULT_PLAN: 'team' } });
    const owner = await signIn(small, 'ada@example.com');
    const emails = Array.from({ length: 50 }, (_, n) => `p${n}@example.com`);
    const invited = await Promise.all(
      emails.map((email) => owner.ask('POST', '/team/invite', { body: { email, role: 'member' } })),
    );
    const statuses = invited.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(2);
    const refused = invited.filter(({ status }) => status === 403);
    expect(refused).toHaveLength(48);
    expect(refused[0]?.body).toMatchObject({ code: 'seat_limit_reached', details: { used: 3, limit: 3 } });
    const sent = emails.filter((_, n) => statuses[n] === 201);
    const people = await Promise.all(
      sent.map(async (email) => {
        const link = await linkTo(small, email);
        return { link, person: await signIn(small, email) };
      }),
    );
    const joined = await Promise.all(
      people.flatMap(({ link, person }) => Array.from({ length: 25 }, () => person.ask('POST', link))),
    );
    expect(joined.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(joined.filter(({ status }) => status === 410)).toHaveLength(48);
    expect((await owner.ask('GET', '/team/members')).body.items).toHaveLength(2);
  });

  test('return with an invitation that is withdrawn or expired, and with a member who leaves', async () => {
    await using small = await hubWorld({ env: { SVC_RATE_LIMITS: 'off', SVC_DEFAULT_PLAN: 'team' } });
    const owner = await signIn(small, 'ada@example.com');
    const ask = async (email: string) =>
      owner.ask('POST', '/team/invite', { body: { email, role: 'member' } });
    const [one, two, three] = [
      await ask('p1@example.com'),
      await ask('p2@example.com'),
      await ask('p3@example.com'),
    ];
    expect([one?.status, two?.status, three?.status]).toEqual([201, 201, 403]);
    await owner.ask('DELETE', `/team/invites/${one?.body.id}`);
    expect((await ask('p3@example.com')).status).toBe(201);
    const link = await linkTo(small, 'p3@example.com');
    const person = await signIn(small, 'p3@example.com');
    await person.ask('POST', link);
    expect((await ask('p4@example.com')).status).toBe(403);
    const { items } = (await owner.ask('GET', '/team/members')).body as { items: { id: string }[] };
    expect((await owner.ask('DELETE', `/team/members/${items[0]?.id}`)).status).toBe(204);
    expect((await ask('p4@example.com')).status).toBe(201);
  });
});

describe('a member who is removed', () => {
  test('has nothing left that works, and what they were reading ends', async () => {
    const lin = await member('lin@example.com');
    await using agent = await anAgent();
    const key = String((await lin.ask('POST', '/api-keys', { body: { name: 'k' }, ...HOME })).body.token);
    const adasKey = String((await ada.ask('POST', '/api-keys', { body: { name: 'k' } })).body.token);
    const pat = String(
      (await lin.ask('POST', '/tokens', { body: { name: 't' }, ...HOME })).body.access_token,
    );
    const call = (apiKey: string, accept: string) =>
      fetch(`${world.hub.baseUrl}/v1/home/job`, { headers: { 'x-api-key': apiKey, accept } });
    const byKey = call(key, 'text/event-stream');
    const { execution_id: first } = await agent.receive('run');
    agent.output(first, 1, 'by key\n');
    const byOther = call(adasKey, 'text/event-stream');
    const { execution_id: second } = await agent.receive('run');
    agent.output(second, 1, 'by another key\n');
    const buffered = call(key, 'application/json');
    await agent.receive('run');
    const bySession = fetch(`${world.hub.hubUrl}/executions/${first}/stream`, {
      headers: { cookie: lin.cookie, 'x-svc-workspace': HOME.workspace },
    });
    const byToken = fetch(`${world.hub.hubUrl}/executions/${first}/stream`, {
      headers: { authorization: `Bearer ${pat}` },
    });
    // All of them are under way: the headers of a stream come with its first bytes.
    const streams = await Promise.all([byKey, bySession, byToken]);
    const otherStream = await byOther;
    const read = streams.map((stream) => stream.text());
    const removed = await ada.ask('DELETE', `/team/members/${await idOf(lin)}`);
    expect(removed.status).toBe(204);
    // At once, not after a while: the answer comes when it is so.
    expect((await call(key, 'application/json')).status).toBe(401);
    expect((await lin.ask('GET', '/workspace')).status).toBe(401);
    const asToken = { headers: { authorization: `Bearer ${pat}` } };
    expect((await fetch(`${world.hub.hubUrl}/workspace`, asToken)).status).toBe(401);
    const ended = /"type":"error","error":"the credentials of this request no longer work/;
    for (const text of await Promise.all(read)) expect(text).toMatch(ended);
    expect((await buffered).status).toBe(401);
    // The commands of others go on, and so does the one that was followed.
    agent.end(second, 1);
    expect(await otherStream.text()).toContain('"type":"done"');
    agent.end(first, 1);
    expect(await members()).toEqual([]);
    const { items } = (await ada.ask('GET', '/api-keys')).body as {
      items: { created_by: string; revoked_at: string | null }[];
    };
    expect(items.map(({ revoked_at: at }) => at).sort()).toEqual(['2026-11-20T12:00:00.000Z', null]);
    expect((await mailTo(world, 'lin@example.com')).subject).toBe(
      'You are no longer in the team of home on svc',
    );
  });

  test('keeps their own workspace, and may return without their earlier rights', async () => {
    const lin = await member('lin@example.com');
    const here = String((await lin.ask('POST', '/tokens', HOME)).body.access_token);
    const own = String((await lin.ask('POST', '/tokens')).body.access_token);
    await ada.ask('DELETE', `/team/members/${await idOf(lin)}`);
    await member('lin@example.com');
    const ask = async (token: string) =>
      (await fetch(`${world.hub.hubUrl}/workspace`, { headers: { authorization: `Bearer ${token}` } }))
        .status;
    expect([await ask(here), await ask(own)]).toEqual([401, 200]);
  });
});

describe('a role', () => {
  test('that changes ends sessions and access tokens, and applies from the next sign-in on', async () => {
    const lin = await member('lin@example.com');
    const pat = String((await lin.ask('POST', '/tokens', HOME)).body.access_token);
    expect((await lin.ask('GET', '/agent-tokens', HOME)).status).toBe(403);
    const id = await idOf(lin);
    const changed = await ada.ask('PATCH', `/team/members/${id}`, { body: { role: 'admin' } });
    expect([changed.status, changed.body]).toEqual([
      200,
      {
        ...{ id, email: 'lin@example.com', role: 'admin', joined_at: '2026-11-20T12:00:00.000Z' },
        ...{ second_factor: false, group: null },
      },
    ]);
    expect((await lin.ask('GET', '/workspace', HOME)).status).toBe(401);
    const asToken = { headers: { authorization: `Bearer ${pat}` } };
    expect((await fetch(`${world.hub.hubUrl}/workspace`, asToken)).status).toBe(401);
    expect((await mailTo(world, 'lin@example.com')).subject).toBe('You are an admin of home on svc now');
    const again = await signIn(world, 'lin@example.com');
    expect((await again.ask('GET', '/agent-tokens', HOME)).status).toBe(200);
  });

  test('viewer sees calls without the links that approve them, and keeps no key', async () => {
    const lin = await member('lin@example.com');
    await using _agent = await anAgent();
    const key = String((await lin.ask('POST', '/api-keys', { body: { name: 'k' }, ...HOME })).body.token);
    const call = () =>
      fetch(`${world.hub.baseUrl}/v1/home/guarded`, { method: 'POST', headers: { 'x-api-key': key } });
    const pending = await readAnswer(await call());
    const [approvalId, executionId] = [pending.body.approval_id, pending.headers.get('x-execution-id')];
    expect((await lin.ask('GET', `/approvals/${approvalId}`, HOME)).body.approve_url).toContain('/approve/');
    await ada.ask('PATCH', `/team/members/${await idOf(lin)}`, { body: { role: 'viewer' } });
    expect((await call()).status).toBe(401);
    expect((await mailTo(world, 'lin@example.com')).subject).toBe('You are a viewer of home on svc now');
    const viewer = await signIn(world, 'lin@example.com');
    const shown = await viewer.ask('GET', `/approvals/${approvalId}`, HOME);
    expect(shown.body).toMatchObject({ status: 'pending_approval', endpoint: 'guarded' });
    const listed = await viewer.ask('GET', '/approvals', HOME);
    expect(listed.body.items).toMatchObject([{ approval_id: approvalId, may_decide: 'not_approver' }]);
    expect(`${shown.text}${listed.text}`).not.toContain('/approve/');
    expect((await viewer.ask('GET', `/executions/${executionId}`, HOME)).status).toBe(200);
    const pat = String((await viewer.ask('POST', '/tokens', HOME)).body.access_token);
    const answers = [
      await viewer.ask('POST', `/approvals/${approvalId}/decide`, { body: { decision: 'approve' }, ...HOME }),
      await viewer.ask('POST', `/executions/${executionId}/cancel`, HOME),
      await viewer.ask('POST', '/executions', { body: { endpoint: 'job' }, ...HOME }),
      await viewer.ask('POST', '/api-keys', { body: { name: 'k' }, ...HOME }),
      await readAnswer(
        await fetch(`${world.hub.baseUrl}/v1/home/job`, { headers: { authorization: `Bearer ${pat}` } }),
      ),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403));
    expect((await ada.ask('GET', `/approvals/${approvalId}`)).body.status).toBe('pending_approval');
  });

  test('that the member already has changes nothing', async () => {
    const lin = await member('lin@example.com');
    await ada.ask('PATCH', `/team/members/${await idOf(lin)}`, { body: { role: 'member' } });
    expect((await lin.ask('GET', '/workspace', HOME)).status).toBe(200);
  });

  test('of the owner cannot be changed, and the owner cannot be removed', async () => {
    const bob = await member('bob@example.com', 'admin');
    const { body } = await ada.ask('POST', '/api-keys', { body: { name: 'k' } });
    const owner = String(body.created_by);
    for (const who of [ada, bob]) {
      const inHome = who === ada ? {} : HOME;
      const role = await who.ask('PATCH', `/team/members/${owner}`, { body: { role: 'member' }, ...inHome });
      const removal = await who.ask('DELETE', `/team/members/${owner}`, inHome);
      expect([role.status, removal.status]).toEqual([403, 403]);
    }
    expect((await ada.ask('DELETE', '/team/members/me')).status).toBe(403);
    expect((await ada.ask('GET', '/workspace')).body).toMatchObject({ role: 'owner' });
    expect((await members()).map(({ email }) => email)).toEqual(['bob@example.com']);
  });
});

test('of two admins who remove each other at once one stays', async () => {
  const [bob, cyd] = [await member('bob@example.com', 'admin'), await member('cyd@example.com', 'admin')];
  const [bobId, cydId] = [await idOf(bob), await idOf(cyd)];
  const answers = await Promise.all([
    bob.ask('DELETE', `/team/members/${cydId}`, HOME),
    cyd.ask('DELETE', `/team/members/${bobId}`, HOME),
  ]);
  const [done, refused] = answers.map(({ status }) => status).sort() as [number, number];
  expect(done).toBe(204);
  // Whether the session of the other was ended before it was asked for, or after that.
  expect([401, 403]).toContain(refused);
  expect(await members()).toHaveLength(1);
});

test('leaving a team ends the same things', async () => {
  const lin = await member('lin@example.com');
  const key = (await lin.ask('POST', '/api-keys', { body: { name: 'k' }, ...HOME })).body.token;
  expect((await lin.ask('DELETE', '/team/members/me', HOME)).status).toBe(204);
  expect(await members()).toEqual([]);
  const call = await fetch(`${world.hub.baseUrl}/v1/home/none`, { headers: { 'x-api-key': String(key) } });
  expect(call.status).toBe(401);
});

test('every change of a team is in its audit log: who, what, to whom', async () => {
  const { id } = await invite('lin@example.com');
  await ada.ask('POST', `/team/invite/${id}/resend`);
  const link = await linkTo(world, 'lin@example.com');
  const max = await invite('max@example.com');
  await ada.ask('DELETE', `/team/invites/${max.id}`);
  const lin = await signIn(world, 'lin@example.com');
  await lin.ask('POST', link);
  await ada.ask('PATCH', `/team/members/${await idOf(lin)}`, { body: { role: 'admin' } });
  await ada.ask('DELETE', `/team/members/${await idOf(lin)}`);
  const bob = await member('bob@example.com');
  await bob.ask('DELETE', '/team/members/me', HOME);
  const { body } = await ada.ask('GET', '/audit?limit=100');
  const items = body.items as { action: string; actor: { name: string }; target: { name: string } }[];
  const changes = items.filter(({ action }) => action.startsWith('member.')).reverse();
  const [owner, guest, third] = ['ada@example.com', 'lin@example.com', 'bob@example.com'];
  expect(changes.map(({ action, actor, target }) => [action, actor.name, target.name])).toEqual([
    ['member.invited', owner, guest],
    ['member.invite_resent', owner, guest],
    ['member.invited', owner, 'max@example.com'],
    ['member.invite_withdrawn', owner, 'max@example.com'],
    ['member.joined', guest, guest],
    ['member.role_changed', owner, guest],
    ['member.removed', owner, guest],
    ['member.invited', owner, third],
    ['member.joined', third, third],
    ['member.left', third, third],
  ]);
});

test('a member of several workspaces acts in the one that is named, else in their own', async () => {
  const lin = await member('lin@example.com', 'admin');
  await lin.ask('PUT', '/workspace/username', { body: { username: 'lins' } });
  const { body } = await lin.ask('GET', '/workspaces');
  const all = body.items as { username: string; role: string }[];
  expect(all.map(({ username, role }) => [username, role]).sort()).toEqual([
    ['home', 'admin'],
    ['lins', 'owner'],
  ]);
  await lin.ask('POST', '/agent-tokens', { body: { name: 'in home' }, ...HOME });
  const named = async (workspace?: string) =>
    (
      (await lin.ask('GET', '/agent-tokens', workspace === undefined ? {} : { workspace })).body.items as {
        name: string;
      }[]
    ).map(({ name }) => name);
  expect([await named(), await named('lins'), await named('home')]).toEqual([[], [], ['in home']]);
  expect((await lin.ask('GET', '/agent-tokens', { workspace: 'local' })).status).toBe(403);
  const pat = String((await lin.ask('POST', '/tokens', HOME)).body.access_token);
  const asToken = async (workspace?: string) => {
    const headers = {
      authorization: `Bearer ${pat}`,
      ...(workspace ? { 'x-svc-workspace': workspace } : {}),
    };
    const { status, body: shown } = await readAnswer(
      await fetch(`${world.hub.hubUrl}/workspace`, { headers }),
    );
    return [status, shown.username];
  };
  expect([await asToken(), await asToken('home'), await asToken('lins')]).toEqual([
    [200, 'home'],
    [200, 'home'],
    [403, undefined],
  ]);
});
