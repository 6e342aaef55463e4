// Real payloads of GitHub, and hostile ones: every declared field reaches a step's argument byte for byte, as data.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { WebhookDefinition } from '@octokit/webhooks-examples';
import examples from '@octokit/webhooks-examples';
import naughty from 'big-list-of-naughty-strings/blns.json';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { makePipeline, showRun } from '../pipelines.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { fromGitHub } from '../webhooks.ts';

const SECRET = "It's a Secret to Everybody";
/** One word for each argument, and a NUL behind each. */
const ARGV = "printf '%s\\0'";

type Payload = Readonly<Record<string, unknown>>;
interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: true;
}

/** A ping starts no run, whatever it carries. */
const isRun = ({ name }: WebhookDefinition) => name !== 'ping';
const events = (examples as unknown as WebhookDefinition[])
  .filter(isRun)
  .map(({ name, examples: [first] }) => {
    const payload = first as unknown as Payload;
    return { name, slug: name.replaceAll('_', '-'), payload, fields: fieldsOf(payload) };
  });

/** The fields that a trigger declares of a payload here; lists are declared in `webhook-facts.test.ts`. */
function fieldsOf(payload: Payload): Field[] {
  return Object.entries(payload).flatMap(([name, value]) =>
    value === null || Array.isArray(value) ? [] : [{ name, type: typeof value, required: true } as const],
  );
}

const NAUGHTY = naughty.filter((text) => text.isWellFormed() && !text.includes('\0'));
const BATCH_SIZE = 90;
const batches = Array.from({ length: Math.ceil(NAUGHTY.length / BATCH_SIZE) }, (_, batch) =>
  NAUGHTY.slice(batch * BATCH_SIZE, (batch + 1) * BATCH_SIZE),
);
const hostileNames = Array.from({ length: BATCH_SIZE }, (_, number) => `f${number}`);

const args = (names: readonly string[]) => names.map((name) => ({ name, allow_dash: true }));
const words = (names: readonly string[]) => names.map((name) => `{{${name}}}`).join(' ');
const references = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, `{input.${name}}`]));

let world: HubWorld;
let agent: RealAgent;

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  agent = await realAgent(world, [
    ...events.map(({ slug, fields }) => {
      const names = fields.map(({ name }) => name);
      return { name: `argv-${slug}`, command: `${ARGV} ${words(names)}`, args: args(names) };
    }),
    { name: 'hostile', command: `${ARGV} ${words(hostileNames)}`, args: args(hostileNames) },
    {
      name: 'shell',
      command: `${ARGV} {{a}} "{{a}}" | cat; ${ARGV} "$FROM_STEP"`,
      args: args(['a']),
      accepts_env: ['FROM_STEP'],
    },
  ]);
  for (const { slug, fields } of events) {
    await makePipeline(world, {
      slug,
      trigger: { type: 'webhook', secret: SECRET, input_schema: fields },
      nodes: [{ id: 'argv', endpoint: `argv-${slug}`, args: references(fields.map(({ name }) => name)) }],
    });
  }
  await makePipeline(world, {
    slug: 'naughty',
    trigger: {
      type: 'webhook',
      secret: SECRET,
      input_schema: hostileNames.map((name) => ({ name, type: 'string' })),
    },
    nodes: [
      { id: 'argv', endpoint: 'hostile', args: references(hostileNames) },
      {
        id: 'shell',
        endpoint: 'shell',
        args: { a: '<{input.f0}>' },
        env: { FROM_STEP: '{input.f1}' },
      },
      { id: 'asks', kind: 'condition', expression: '{input.f0} == {input.f1}' },
    ],
    edges: [
      { from: 'trigger', to: 'argv' },
      { from: 'trigger', to: 'shell' },
      { from: 'trigger', to: 'asks' },
    ],
  });
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

/** As GitHub calls: without a key. */
function send(slug: string, init: RequestInit): Promise<Response> {
  return fetch(world.urlOf(slug), init);
}

async function startedBy(response: Response): Promise<string> {
  expect([response.status, response.headers.get('x-run-id')]).toEqual([202, expect.any(String)]);
  return ((await response.json()) as { run_id: string }).run_id;
}

/** The arguments of a step of a run, one word each. */
async function argvOf(runId: string, step = 'argv'): Promise<string[]> {
  await (await world.manage(`/pipeline-runs/${runId}/stream`)).text();
  const { nodes, status, error } = await showRun(world, runId);
  expect([status, error]).toEqual(['succeeded', undefined]);
  const id = nodes.find(({ node }) => node === step)?.attempts[0]?.execution_id;
  const output = await (await world.manage(`/executions/${id}/output`)).text();
  return output.split('\0').slice(0, -1);
}

async function runsOf(slug: string): Promise<number> {
  const response = await world.manage(`/pipeline-runs?limit=100&pipeline=${slug}`);
  return ((await response.json()) as { items: unknown[] }).items.length;
}

/** A value as an argument has it. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

test('there are at least 20 kinds of events in what GitHub publishes', () => {
  expect(events.length).toBeGreaterThan(20);
  expect(new Set(events.flatMap(({ fields }) => fields.map(({ type }) => type)))).toEqual(
    new Set(['string', 'number', 'boolean', 'object']),
  );
});

describe.each(events)('a payload of "$name"', ({ name, slug, payload, fields }) => {
  test('reaches the arguments of a step byte for byte, once however often it is sent', async () => {
    const init = fromGitHub(SECRET, JSON.stringify(payload), { event: name });
    const runId = await startedBy(await send(slug, init));
    expect(await argvOf(runId)).toEqual(fields.map((field) => textOf(payload[field.name])));
    expect(await startedBy(await send(slug, init))).toBe(runId);
    const renamed = fromGitHub(SECRET, JSON.stringify(payload), { event: name });
    expect(await startedBy(await send(slug, renamed))).toBe(runId);
    expect(await runsOf(slug)).toBe(1);
  });

  test('starts nothing when a byte of it or of its signature is another', async () => {
    const body = JSON.stringify({ ...payload, sent: 'again' });
    const init = fromGitHub(SECRET, body, { event: name });
    const before = await runsOf(slug);
    for (const wrong of [
      { ...init, body: body.replace('again', 'agaim') },
      { ...init, body: `${body} ` },
      fromGitHub(`${SECRET}!`, body),
    ]) {
      const response = await send(slug, wrong);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
        401,
        'unauthorized',
      ]);
    }
    expect(await runsOf(slug)).toBe(before);
  });

  test('is refused with the fields that have another type, and starts nothing', async () => {
    const before = await runsOf(slug);
    for (const field of fields) {
      for (const value of ['text', 1.5, true, { a: 1 }, ['list'], null]) {
        if (typeof value === field.type && value !== null && !Array.isArray(value)) continue;
        const body = JSON.stringify({ ...payload, [field.name]: value });
        const response = await send(slug, fromGitHub(SECRET, body, { event: name }));
        const { details } = (await response.json()) as { details: { fields: { field: string }[] } };
        expect([response.status, details.fields.map((one) => one.field)]).toEqual([400, [field.name]]);
      }
    }
    expect(await runsOf(slug)).toBe(before);
  });
});

describe('hostile strings', () => {
  test.each(batches)('stay data in arguments, shells, variables and conditions', async (...texts) => {
    const payload = Object.fromEntries(texts.map((text, number) => [`f${number}`, text]));
    const runId = await startedBy(await send('naughty', fromGitHub(SECRET, JSON.stringify(payload))));
    expect(await argvOf(runId)).toEqual(texts);
    const [first = '', second = ''] = texts;
    const variable = second === '' ? [''] : [second];
    expect(await argvOf(runId, 'shell')).toEqual([`<${first}>`, `<${first}>`, ...variable]);
  });

  test('with a NUL, or half of a character, are refused and start nothing', async () => {
    const before = await runsOf('naughty');
    for (const text of ['"a\\u0000b"', '"\\ud800"']) {
      const response = await send('naughty', fromGitHub(SECRET, `{"f0":${text}}`));
      expect(response.status).toBe(400);
    }
    expect(await runsOf('naughty')).toBe(before);
  });
});
