// Calls that are signed: who may, how often they count, what is kept of them (decision 23, idempotency, and decision 43,
// calling a pipeline).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { makePipeline, postOf, showRun } from '../pipelines.ts';
import { fromGitHub, withHeaders } from '../webhooks.ts';

const SECRET = 'the secret of the hook';
const STANDARD_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const SCHEMA = [
  { name: 'ref', type: 'string', required: true },
  { name: 'head', type: 'object' },
];
const NODES = [{ id: 'job', endpoint: 'job' }];

let world: HubWorld;

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'key=100000,public=50' } });
  await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  await world.manage('/secrets/HOOK', { ...postOf({ value: 'managed' }), method: 'PUT' });
  const webhook = (slug: string, more: object) =>
    makePipeline(world, { slug, trigger: { type: 'webhook', input_schema: SCHEMA, ...more }, nodes: NODES });
  await webhook('hub', { secret: SECRET });
  await webhook('public-hub', { secret: SECRET, public: true });
  await webhook('standard', { secret: STANDARD_SECRET });
  await webhook('managed', { secret: '$svc:HOOK' });
  await webhook('keyed', {});
  await webhook('open', { public: true });
});
afterAll(() => world[Symbol.asyncDispose]());

function send(slug: string, init: RequestInit, key?: string): Promise<Response> {
  return fetch(world.urlOf(slug), key === undefined ? init : withHeaders(init, { 'x-api-key': key }));
}

async function readAnswer(response: Response) {
  const body = (await response.json()) as { run_id?: string; code?: string };
  return { ...body, status: response.status };
}

const statusOf = async (slug: string, init: RequestInit, key?: string) =>
  (await send(slug, init, key)).status;

async function runCount(): Promise<number> {
  const { items } = (await (await world.manage('/pipeline-runs?limit=100')).json()) as { items: unknown[] };
  return items.length;
}

let pushes = 0;
/** A body that was never sent before. */
function push(): string {
  pushes += 1;
  return JSON.stringify({ ref: `refs/heads/${pushes}`, head: { id: 'abc' }, other: 'kept' });
}

describe('a signed call', () => {
  test('needs no key, is answered at once, and its run says who began it', async () => {
    const first = await readAnswer(await send('hub', fromGitHub(SECRET, push())));
    expect(first).toMatchObject({ status: 202 });
    const listed = await world.manage('/pipeline-runs?limit=1');
    expect(await listed.json()).toMatchObject({ items: [{ pipeline: 'hub', trigger: 'webhook' }] });
  });

  test('returns URLs that need a credential of the workspace', async () => {
    const response = await send('hub', fromGitHub(SECRET, push()));
    const { status_url: url } = (await response.json()) as { status_url: string };
    expect(url).not.toContain('token');
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { 'x-api-key': world.start.apiKey } })).status).toBe(404);
    expect((await world.manage(new URL(url).pathname)).status).toBe(200);
  });

  test('is the only kind that a trigger with a secret takes, public or not, key or not', async () => {
    const before = await runCount();
    for (const slug of ['hub', 'public-hub', 'managed']) {
      for (const key of [undefined, 'x', world.start.apiKey]) {
        expect([slug, await statusOf(slug, postOf({ ref: 'x' }), key)]).toEqual([slug, 401]);
        const forged = fromGitHub('another', push());
        expect([slug, await statusOf(slug, forged, key)]).toEqual([slug, 401]);
        const allowed = key === world.start.apiKey ? 405 : 401;
        expect([slug, await statusOf(slug, { method: 'GET' }, key)]).toEqual([slug, allowed]);
      }
    }
    expect(await runCount()).toBe(before);
  });

  test('is refused like a call of an unknown pipeline', async () => {
    const forged = fromGitHub('another', push());
    const [there, nowhere] = [
      await readAnswer(await send('hub', forged)),
      await readAnswer(await send('nowhere', forged)),
    ];
    expect(there).toEqual(nowhere);
    const large = { ...forged, body: 'x'.repeat(1_100_000) };
    expect([await statusOf('hub', large), await statusOf('nowhere', large)]).toEqual([413, 413]);
  });

  test('is checked with the current managed secret', async () => {
    expect(await statusOf('managed', fromGitHub('managed', push()))).toBe(202);
    await world.manage('/secrets/HOOK', { ...postOf({ value: 'rotated' }), method: 'PUT' });
    expect(await statusOf('managed', fromGitHub('managed', push()))).toBe(401);
    expect(await statusOf('managed', fromGitHub('rotated', push()))).toBe(202);
    await world.manage('/secrets/HOOK', { method: 'DELETE' });
    expect(await statusOf('managed', fromGitHub('rotated', push()))).toBe(401);
    expect(await statusOf('managed', fromGitHub('', push()))).toBe(401);
  });

  test('may be a form, as GitHub sends one, and no form is taken otherwise', async () => {
    const body = `payload=${encodeURIComponent(push())}`;
    const form = withHeaders(fromGitHub(SECRET, body), {
      'content-type': 'application/x-www-form-urlencoded',
    });
    const { run_id: runId = '' } = await readAnswer(await send('hub', form));
    expect((await showRun(world, runId)).input).toEqual({
      ref: expect.stringContaining('refs/heads/'),
      head: { id: 'abc' },
    });
    for (const bad of ['x=1', `${body}&payload=1`, '']) {
      const signed = withHeaders(fromGitHub(SECRET, bad), {
        'content-type': 'application/x-www-form-urlencoded',
      });
      expect(await statusOf('hub', signed)).toBe(400);
    }
    expect(await statusOf('open', form)).toBe(415);
    expect(await statusOf('keyed', form, world.start.apiKey)).toBe(415);
    const text = withHeaders(fromGitHub(SECRET, push()), { 'content-type': 'text/plain' });
    expect(await statusOf('hub', text)).toBe(415);
  });

  test('is kept as it came, sealed, for as long as its run', async () => {
    const body = `\uFEFF{ "ref" : "kept",\r\n "other":"${'planted'.repeat(3)} ünïcode" }`;
    const init = fromGitHub(SECRET, body, { event: 'push', delivery: 'delivery-1' });
    const { run_id: runId = '' } = await readAnswer(await send('hub', init));
    const kept = (await (await world.manage(`/pipeline-runs/${runId}/request`)).json()) as {
      headers: Record<string, string>;
      body: string;
    };
    expect(kept.body).toBe(body);
    const hex = createHmac('sha256', SECRET).update(kept.body).digest('hex');
    expect(kept.headers).toMatchObject({
      'x-github-event': 'push',
      'x-github-delivery': 'delivery-1',
      'x-hub-signature-256': `sha256=${hex}`,
    });
    const unsigned = await readAnswer(await send('open', postOf({ ref: 'x' }, { prefer: 'respond-async' })));
    expect((await world.manage(`/pipeline-runs/${unsigned.run_id}/request`)).status).toBe(404);
  });
});

describe('how often a call counts', () => {
  test('a repeated signature is the run of the first, whatever the delivery is called', async () => {
    const body = push();
    const first = await readAnswer(await send('hub', fromGitHub(SECRET, body)));
    for (let n = 0; n < 3; n += 1)
      expect((await readAnswer(await send('hub', fromGitHub(SECRET, body)))).run_id).toBe(first.run_id);
    const bare = withoutDelivery(fromGitHub(SECRET, body));
    expect((await readAnswer(await send('hub', bare))).run_id).toBe(first.run_id);
  });

  test('a delivery id counts too, and another body under it is refused', async () => {
    const init = fromGitHub(SECRET, push(), { delivery: 'delivery-2' });
    const first = await readAnswer(await send('hub', init));
    const other = await readAnswer(await send('hub', fromGitHub(SECRET, push(), { delivery: 'delivery-2' })));
    expect(other).toMatchObject({ status: 422, code: 'idempotency_mismatch' });
    expect((await readAnswer(await send('hub', init))).run_id).toBe(first.run_id);
  });

  test('an id that came with a forged signature does not count', async () => {
    const body = push();
    expect(await statusOf('hub', fromGitHub('another', body, { delivery: 'delivery-3' }))).toBe(401);
    const real = await readAnswer(await send('hub', fromGitHub(SECRET, push(), { delivery: 'delivery-3' })));
    expect(real.status).toBe(202);
  });

  test('many deliveries of one event at the same moment start one run', async () => {
    const body = push();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => readAnswer(await send('hub', fromGitHub(SECRET, body)))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ run_id: runId }) => runId)).size).toBe(1);
  });

  test('ids of deliveries count for callers with a key', async () => {
    const call = (ref: string) =>
      send('keyed', postOf({ ref }, { 'x-github-delivery': 'delivery-4' }), world.start.apiKey);
    const first = await readAnswer(await call('a'));
    expect(first.status).toBe(202);
    expect((await readAnswer(await call('a'))).run_id).toBe(first.run_id);
    expect((await readAnswer(await call('b'))).code).toBe('idempotency_mismatch');
  });
});

function withoutDelivery(init: RequestInit): RequestInit {
  const { 'x-github-delivery': _delivery, ...headers } = init.headers as Record<string, string>;
  return { ...init, headers };
}

describe('a call as Standard Webhooks sends it', () => {
  const webhook = new Webhook(STANDARD_SECRET);
  /** Signed by the package of the standard. */
  function signed(id: string, body: string, atMs = world.clock.nowMs()): RequestInit {
    return {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(atMs / 1000)),
        'webhook-signature': webhook.sign(id, new Date(atMs), body),
      },
    };
  }

  test('starts one run for one id, also when it is sent again later', async () => {
    const body = push();
    const first = await readAnswer(await send('standard', signed('msg_1', body)));
    expect(first.status).toBe(202);
    const later = signed('msg_1', body, world.clock.nowMs() + 60_000);
    expect((await readAnswer(await send('standard', later))).run_id).toBe(first.run_id);
    expect((await readAnswer(await send('standard', signed('msg_2', body)))).run_id).not.toBe(first.run_id);
  });

  test('starts one run when its own key is that of its delivery', async () => {
    const doubled = (id: string) =>
      withHeaders(signed(id, push()), { 'idempotency-key': `webhook-id:${id}` });
    const request = doubled('msg_doubled');
    const first = await readAnswer(await send('standard', request));
    expect(first.status).toBe(202);
    expect((await readAnswer(await send('standard', request))).run_id).toBe(first.run_id);
  });

  test('is refused when it is old, of the future, or not what was signed', async () => {
    const before = await runCount();
    const body = push();
    const now = world.clock.nowMs();
    for (const wrong of [
      signed('msg_3', body, now - 301_000),
      signed('msg_3', body, now + 301_000),
      withHeaders(signed('msg_3', body), { 'webhook-id': 'msg_4' }),
      { ...signed('msg_3', body), body: push() },
      withHeaders(signed('msg_3', body), { 'webhook-timestamp': 'now' }),
    ])
      expect(await statusOf('standard', wrong)).toBe(401);
    expect(await runCount()).toBe(before);
  });
});

describe('an input', () => {
  const post = (body: string) => ({ ...postOf({}), body });

  test('over 1 MiB is refused, announced or in chunks, and starts nothing', async () => {
    const before = await runCount();
    const large = JSON.stringify({ ref: 'x'.repeat(1_048_576) });
    expect(await statusOf('keyed', post(large), world.start.apiKey)).toBe(413);
    expect(await statusOf('hub', fromGitHub(SECRET, large))).toBe(413);
    const chunked = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(large));
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/json' };
    expect(await statusOf('keyed', { method: 'POST', headers, body: chunked }, world.start.apiKey)).toBe(413);
    const ofMember = await world.manage(
      '/pipeline-runs',
      postOf({ pipeline: 'keyed', input: { ref: large } }),
    );
    expect(ofMember.status).toBe(413);
    expect(await runCount()).toBe(before);
  });

  test('as large as may be is on record whole, and one byte more is refused', async () => {
    const sized = (bytes: number) => JSON.stringify({ ref: 'x'.repeat(bytes - '{"ref":""}'.length) });
    const most = sized(1_048_576);
    const { status, run_id: runId = '' } = await readAnswer(await send('hub', fromGitHub(SECRET, most)));
    expect(status).toBe(202);
    expect((await showRun(world, runId)).input).toEqual(JSON.parse(most));
    expect(await statusOf('hub', fromGitHub(SECRET, sized(1_048_577)))).toBe(413);
  });

  test('is refused with all invalid fields at once, and other fields are ignored', async () => {
    const response = await send('keyed', post('{"ref":1,"head":[],"x":"\\u0000"}'), world.start.apiKey);
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        error: 'ref: a string expected, not a number; head: an object expected, not a list',
        code: 'invalid_argument',
        details: {
          fields: [
            { field: 'ref', message: 'a string expected, not a number' },
            { field: 'head', message: 'an object expected, not a list' },
          ],
        },
      },
    ]);
    const fine = post('{"ref":"x","big":123456789012345678901234567890,"x":"\\u0000","x":1,"__proto__":{}}');
    const init = withHeaders(fine, { prefer: 'respond-async' });
    const { run_id: runId = '' } = await readAnswer(await send('keyed', init, world.start.apiKey));
    expect((await showRun(world, runId)).input).toEqual({ ref: 'x' });
  });

  test('that is missing is reported by its required fields', async () => {
    const response = await send('keyed', { method: 'POST' }, world.start.apiKey);
    expect(await response.json()).toMatchObject({ details: { fields: [{ field: 'ref' }] } });
  });
});

test('guessed signatures are limited, and signed hooks are not delayed by them', async () => {
  await using limited = await hubWorld({ env: { SVC_RATE_LIMITS: 'public=5' } });
  await limited.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  await makePipeline(limited, { slug: 'hub', trigger: { type: 'webhook', secret: SECRET }, nodes: NODES });
  const statuses: number[] = [];
  for (let n = 0; n < 7; n += 1)
    statuses.push((await fetch(limited.urlOf('hub'), fromGitHub('another', push()))).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  expect((await fetch(limited.urlOf('hub'), fromGitHub(SECRET, push()))).status).toBe(202);
});

test('it is a day that a signature counts for', async () => {
  await using long = await hubWorld();
  await long.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  await makePipeline(long, { slug: 'hub', trigger: { type: 'webhook', secret: SECRET }, nodes: NODES });
  const init = fromGitHub(SECRET, push());
  const again = async () => (await readAnswer(await fetch(long.urlOf('hub'), init))).run_id;
  const first = await again();
  long.clock.move(24 * 60 * 60 * 1_000 - 1);
  expect(await again()).toBe(first);
  long.clock.move(1);
  expect(await again()).not.toBe(first);
});
