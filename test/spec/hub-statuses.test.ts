// Every way in which a call is refused, with its whole answer: reference 7, decision 25, errors. Answers reveal nothing about
// other accounts.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { RefusalCode } from '@svc/core/refusal';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { EXITED, type ScriptedAgent } from '../scripted-agent.ts';

const ENDPOINTS = [
  { name: 'hello', command: 'echo {{name}}', args: [{ name: 'name', default: 'x' }] },
  { name: 'other', command: 'true' },
  { name: 'post-only', command: 'true', method: 'POST' },
  { name: 'one', command: 'true', max_concurrent: 1 },
  { name: 'guarded', command: 'true', approval_required: true },
  { name: 'away', command: 'true', agent_name: 'elsewhere' },
];
const JSON_TYPE = { 'content-type': 'application/json' };
const UNKNOWN_KEY = `svc_sk_${'0'.repeat(49)}`;

let world: HubWorld;
let agent: ScriptedAgent;
let stranger: Account;
beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  agent = await world.agent({ endpoints: ENDPOINTS });
  stranger = await signUp('grace');
});
afterAll(() => world[Symbol.asyncDispose]());

interface Account {
  readonly username: string;
  readonly accessToken: string;
  readonly apiKey: string;
}

/** A second account, made as people make theirs. */
async function signUp(username: string): Promise<Account> {
  const send = (path: string, body: unknown, token?: string, method = 'POST') =>
    fetch(`${world.hub.hubUrl}${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { ...JSON_TYPE, ...(token ? { authorization: `Bearer ${token}` } : {}) },
    });
  await send('/auth/magic-link', { email: `${username}@example.com` });
  const { items } = (await (await world.manage('/outbox')).json()) as { items: { text: string }[] };
  const token = /\/login\/(\S+)/.exec(items[0]?.text ?? '')?.[1];
  const made = (await (await send('/auth/token', { token })).json()) as { access_token: string };
  await send('/workspace/username', { username }, made.access_token, 'PUT');
  const key = (await (await send('/api-keys', { name: 'k' }, made.access_token)).json()) as { token: string };
  return { username, accessToken: made.access_token, apiKey: key.token };
}

async function makeKey(more: object): Promise<{ id: string; token: string }> {
  const body = JSON.stringify({ name: 'made', ...more });
  const made = await world.manage('/api-keys', { method: 'POST', body, headers: JSON_TYPE });
  return (await made.json()) as { id: string; token: string };
}

const withKey = (key: string) => ({ headers: { 'x-api-key': key } });
const post = (body: string, headers: Record<string, string> = JSON_TYPE) =>
  world.call('hello', { method: 'POST', body, headers });

/** The answer to a call that the agent ends in this way. */
async function ended(ending: object): Promise<Response> {
  const called = world.call('hello');
  const { execution_id: id } = await agent.receive('run');
  agent.end(id, 0, ending as typeof EXITED);
  return called;
}

/** The answer to another request while a call runs, which is then let end. */
async function during(init: RequestInit, slug: string, other: () => Promise<Response>): Promise<Response> {
  const called = world.call(slug, init);
  const { execution_id: id } = await agent.receive('run');
  const answer = await other();
  agent.end(id, 0);
  await called;
  return answer;
}

const keyed = (key: string, slug = 'hello') => world.call(slug, { headers: { 'idempotency-key': key } });

/** The answer to the second of two equal calls, of which a person has denied the first. */
async function denied(): Promise<Response> {
  const { approval_id: id } = (await (await keyed('denied', 'guarded')).json()) as { approval_id: string };
  await fetch(`${world.hub.hubUrl}/approvals/${id}/decide`, {
    method: 'POST',
    headers: { ...JSON_TYPE, authorization: `Bearer ${world.start.accessToken}` },
    body: '{"decision":"deny"}',
  });
  return keyed('denied', 'guarded');
}

/** Every code that a call can be refused with, but `unavailable`, for which a store has to fail (test/faults). */
const REFUSALS: readonly (readonly [RefusalCode, status: number, string, () => Promise<Response>])[] = [
  ['invalid_argument', 400, 'an argument that is not declared', () => world.call('hello?nmae=x')],
  ['invalid_argument', 400, 'a name in query and body', () => postTwice()],
  ['invalid_json', 400, 'a body that breaks off', () => post('{"name":')],
  ['unauthorized', 401, 'no key', () => world.call('hello', withKey(''))],
  ['unauthorized', 401, 'a key that nobody has', () => world.call('hello', withKey(UNKNOWN_KEY))],
  ['agent_refused', 403, 'an agent that runs only its own', () => ended(refused('local_only'))],
  ['not_found', 404, 'an endpoint that is not there', () => world.call('nothing')],
  ['method_not_allowed', 405, 'GET where POST is defined', () => world.call('post-only')],
  ['idempotency_in_progress', 409, 'a key in use', () => during(...firstOf('busy'), () => keyed('busy'))],
  ['payload_too_large', 413, 'a value of 65 KiB', () => post(`{"name":"${'x'.repeat(65 * 1024)}"}`)],
  ['payload_too_large', 413, 'a body of 2 MiB', () => post(`{"name":"${'x'.repeat(2 << 20)}"}`)],
  ['unsupported_media_type', 415, 'plain text', () => post('x', { 'content-type': 'text/plain' })],
  ['idempotency_mismatch', 422, 'a key of another request', () => during(...firstOf('used'), otherRequest)],
  ['concurrency_limited', 429, 'one more than at a time', () => during({}, 'one', () => world.call('one'))],
  ['approval_denied', 403, 'a call that was denied', denied],
  ['agent_offline', 502, 'an agent that is not there', () => world.call('away')],
  [
    'spawn_failed',
    502,
    'no such program',
    () => ended({ kind: 'not_started', reason: 'other', message: 'm' }),
  ],
  ['timeout', 502, 'a command that is late', () => ended({ kind: 'timed_out', duration_ms: 1 })],
  ['lost', 502, 'a worker that died', () => ended({ kind: 'lost', message: 'm' })],
  ['cancelled', 502, 'a command that was cancelled', () => ended({ kind: 'cancelled', duration_ms: 1 })],
  ['transform_failed', 502, 'output that is no JSON', () => ended(withTransform('failed'))],
  ['unavailable', 503, 'an agent whose disk is full', () => ended(refused('broken', 'unavailable'))],
];

const postTwice = () =>
  world.call('hello?name=a', { method: 'POST', body: '{"name":"b"}', headers: JSON_TYPE });
const otherRequest = () => world.call('hello?name=b', { headers: { 'idempotency-key': 'used' } });
const firstOf = (key: string) => [{ headers: { 'idempotency-key': key } }, 'hello'] as const;
const refused = (reason: string, code = 'agent_refused') => ({ kind: 'refused', reason, code, message: 'm' });
const withTransform = (kind: string) => ({ ...EXITED, transformed: { kind, reason: 'm' } });

const RAN: ReadonlySet<string> = new Set(['agent_offline', 'spawn_failed', 'timeout', 'lost', 'cancelled']);
const PASSING: ReadonlySet<number> = new Set([409, 429, 503]);

describe('a call is refused', () => {
  test.each(REFUSALS)('as %s with %d: %s', async (code, status, _, call) => {
    const response = await call();
    const { headers } = response;
    const body = (await response.json()) as Record<string, unknown>;
    expect([response.status, body.code, typeof body.error]).toEqual([status, code, 'string']);
    expect(Object.keys(body).filter((key) => !/^(?:error|code|execution_id|details)$/.test(key))).toEqual([]);
    expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
      'application/json',
      'no-store',
    ]);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.has('retry-after')).toBe(PASSING.has(status));
    expect(headers.has('allow')).toBe(status === 405);
    expect(headers.has('www-authenticate')).toBe(status === 401);
    expect(headers.get('x-execution-id')).toBe((body.execution_id as string | undefined) ?? null);
    if (RAN.has(code)) expect(body.execution_id).toEqual(expect.any(String));
    expect(agent.unread('run')).toBe(0);
  });

  test('as rate_limited with 429 for each kind of caller, until Retry-After has passed', async () => {
    await using limited = await hubWorld({ env: { SVC_RATE_LIMITS: 'key=2,public=2,sign_in=2' } });
    await limited.agent({
      endpoints: [
        { name: 'open', command: 'true', public: true },
        { name: 'key-only', command: 'true' },
      ],
    });
    const async = { prefer: 'respond-async' };
    const kinds: (() => Promise<Response>)[] = [
      () => fetch(limited.urlOf('open'), { headers: async }),
      () => limited.call('key-only', { headers: async }),
      () =>
        fetch(`${limited.hub.hubUrl}/auth/magic-link`, {
          method: 'POST',
          body: '{"email":"ada@example.com"}',
          headers: JSON_TYPE,
        }),
    ];
    for (const call of kinds) {
      const before = [(await call()).status, (await call()).status];
      const response = await call();
      const wait = Number(response.headers.get('retry-after'));
      expect([before, response.status]).toEqual([[202, 202], 429]);
      expect(await response.json()).toMatchObject({ code: 'rate_limited', details: { limit: 2 } });
      limited.clock.move((wait - 1) * 1000);
      expect((await call()).status).toBe(429);
      limited.clock.move(1000);
      expect((await call()).status).toBe(202);
    }
  });

  test('as rate_limited whichever of the addresses of an IPv6 network calls', async () => {
    const env = { SVC_RATE_LIMITS: 'public=2', SVC_TRUSTED_PROXIES: '127.0.0.1' };
    await using limited = await hubWorld({ env });
    await limited.agent({ endpoints: [{ name: 'open', command: 'true', public: true }] });
    const from = async (address: string) => {
      const headers = { prefer: 'respond-async', 'x-forwarded-for': address };
      return (await fetch(limited.urlOf('open'), { headers })).status;
    };
    expect(await from('2001:db8::1')).toBe(202);
    expect(await from('2001:db8::ffff:2')).toBe(202);
    expect(await from('2001:db8:0:0:3::')).toBe(429);
    expect(await from('2001:db8:0:1::1')).toBe(202);
  });
});

describe('a key', () => {
  /** All that an answer is, but for what differs from request to request. */
  async function all(response: Response): Promise<string> {
    const headers = [...response.headers].filter(([name]) => name !== 'date').sort();
    return JSON.stringify([response.status, headers, await response.text()]);
  }
  const answerOf = async (slug: string, key: string) => all(await world.call(slug, withKey(key)));

  test('that is revoked, expired, mistyped or of another kind is refused like an unknown one', async () => {
    const expiring = await makeKey({ expires_at: new Date(world.clock.nowMs() + 60_000).toISOString() });
    const revoked = await makeKey({});
    const [mistyped, ofAgent] = [`${world.start.apiKey.slice(0, -1)}-`, world.start.agentToken];
    const living = world.call('hello', withKey(expiring.token));
    await agent.answer('x\n');
    expect((await living).status).toBe(200);
    world.clock.move(60_001);
    expect((await world.manage(`/api-keys/${revoked.id}`, { method: 'DELETE' })).status).toBe(204);
    const unknown = await answerOf('hello', UNKNOWN_KEY);
    expect(JSON.parse(unknown)[0]).toBe(401);
    for (const key of [expiring.token, revoked.token, mistyped, ofAgent, ''])
      for (const slug of ['hello', 'nothing']) expect(await answerOf(slug, key)).toBe(unknown);
  });

  test('out of its scope, of another workspace and for nothing at all gets one and the same answer', async () => {
    const scoped = await makeKey({ endpoints: ['other'] });
    const nothing = await answerOf('nothing', world.start.apiKey);
    expect(JSON.parse(nothing)[0]).toBe(404);
    expect(await answerOf('hello', scoped.token)).toBe(nothing);
    expect(await answerOf('hello', stranger.apiKey)).toBe(nothing);
    const ofGrace = (path: string) => fetch(`${world.hub.baseUrl}/v1/${path}`, withKey(world.start.apiKey));
    expect(await all(await ofGrace('grace/hello'))).toBe(nothing);
    expect(await all(await ofGrace('nobody-here/hello'))).toBe(nothing);
  });

  test.each([
    ['GET', ''],
    ['GET', '/stream'],
    ['GET', '/output'],
    ['POST', '/cancel'],
  ])('of others sees of an execution what it sees of none: %s %s', async (method, path) => {
    const called = world.call('hello');
    const { execution_id: id } = await agent.receive('run');
    const ask = async (of: string, headers: Record<string, string>) =>
      all(await fetch(`${world.hub.hubUrl}/executions/${of}${path}`, { method, headers }));
    const sameWorkspace = (await makeKey({})).token;
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    for (const headers of [
      { 'x-api-key': sameWorkspace },
      { 'x-api-key': stranger.apiKey },
      bearer(stranger.accessToken),
      { 'x-api-key': UNKNOWN_KEY },
      {},
    ]) {
      const none = await ask(Bun.randomUUIDv7(), headers as Record<string, string>);
      expect([401, 404]).toContain(JSON.parse(none)[0]);
      expect(await ask(id, headers as Record<string, string>)).toBe(none);
    }
    // Nobody has cancelled it.
    agent.end(id, 0);
    expect((await called).status).toBe(200);
  });

  test.each(['api-keys', 'agent-tokens'])(
    'of others can no more be revoked than an unknown one: %s',
    async (kind) => {
      const make = { method: 'POST', body: '{"name":"theirs"}', headers: JSON_TYPE };
      const { id } = (await (await world.manage(`/${kind}`, make)).json()) as { id: string };
      const revoke = async (which: string) =>
        all(
          await fetch(`${world.hub.hubUrl}/${kind}/${which}`, {
            method: 'DELETE',
            headers: { authorization: `Bearer ${stranger.accessToken}` },
          }),
        );
      const none = await revoke(Bun.randomUUIDv7());
      expect(JSON.parse(none)[0]).toBe(404);
      expect(await revoke(id)).toBe(none);
    },
  );
});
