// The gallery through the API: references 2.8 and 4.4, decision 47, answers of the management API.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { TEMPLATE_TEXTS } from '../../templates/texts.ts';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type ParsedAnswer, type Person, readAnswer } from '../people.ts';

interface Card {
  readonly template_id: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly endpoints: readonly { readonly slug: string }[];
}

const JSON_TYPE = { 'content-type': 'application/json' };

let world: HubWorld;
let cards: readonly Card[];
beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  cards = await list();
});
afterAll(() => world[Symbol.asyncDispose]());

/** As anybody: the gallery needs no account. */
async function list(query = ''): Promise<readonly Card[]> {
  const response = await fetch(`${world.hub.hubUrl}/api/templates${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { templates: readonly Card[] }).templates;
}

async function bring(id: string, init: RequestInit = {}): Promise<ParsedAnswer> {
  const body = JSON.stringify({ template_id: id });
  const headers = { ...JSON_TYPE, ...(init.headers as Record<string, string> | undefined) };
  return readAnswer(await world.manage('/api/templates/import', { method: 'POST', body, ...init, headers }));
}

const send = (method: string, path: string, body?: object) =>
  world.manage(path, { method, headers: JSON_TYPE, ...(body && { body: JSON.stringify(body) }) });
const slugsOf = (id: string) =>
  cards.find(({ template_id: one }) => one === id)?.endpoints.map(({ slug }) => slug) ?? [];
const slugsIn = ({ body }: ParsedAnswer) => (body.created as { slug: string }[]).map(({ slug }) => slug);

describe('the gallery', () => {
  test('has every template of the program, in the order of the categories, for everybody', () => {
    expect(cards.map(({ template_id: id }) => id)).toEqual([...TEMPLATE_TEXTS.keys()]);
    expect(new Set(cards.map(({ category }) => category))).toEqual(
      new Set(['Cron Jobs', 'Database', 'Deployment', 'Docker', 'Files', 'Git', 'Monitoring']),
    );
  });

  test('is searched by name, description and tag, and narrowed by category', async () => {
    const docker = await list('?category=Docker');
    expect(docker).toEqual(cards.filter(({ category }) => category === 'Docker'));
    const [tag = ''] = docker[0]?.tags ?? [];
    expect(await list(`?search=${tag}&category=Docker`)).toContainEqual(docker[0] as Card);
    expect(await list('?search=nothing-has-this-word')).toEqual([]);
    expect((await fetch(`${world.hub.hubUrl}/api/templates?category=Cooking`)).status).toBe(400);
  });

  test('shows a template with its unchanged file', async () => {
    for (const [id, yaml] of TEMPLATE_TEXTS) {
      const { status, body } = await readAnswer(await fetch(`${world.hub.hubUrl}/api/templates/${id}`));
      expect([status, body.template_id, body.yaml]).toEqual([200, id, yaml]);
    }
    expect((await fetch(`${world.hub.hubUrl}/api/templates/none`)).status).toBe(404);
  });
});

describe('an import', () => {
  test('makes endpoints that are those of the template, and run on an agent', async () => {
    const made = await bring('system-load');
    expect([made.status, slugsIn(made), made.body.skipped]).toEqual([201, slugsOf('system-load'), []]);
    const [slug = ''] = slugsOf('system-load');
    const shown = await readAnswer(await world.manage(`/endpoints/${slug}`));
    expect((made.body.created as object[])[0]).toEqual(shown.body);
    expect(shown.body).toMatchObject({ source: 'api', agent_name: 'default', version: 1 });
    await using agent = await world.agent({ endpoints: [] });
    const called = world.call(slug, { method: 'GET' });
    const { definition, execution_id: id } = await agent.receive('run');
    expect(definition).toBeDefined();
    agent.output(id, 1, '0.1 0.2 0.3\n');
    agent.end(id, 1);
    expect((await called).status).toBe(200);
  });

  test('overwrites nothing: an existing slug is kept, and the answer reports it', async () => {
    const [slug = ''] = slugsOf('docker-restart');
    await send('POST', '/endpoints', { slug, command: 'echo mine' });
    const first = await bring('docker-restart');
    expect(first.body.skipped).toEqual([{ slug, reason: 'slug_taken' }]);
    expect(slugsIn(first)).toEqual(slugsOf('docker-restart').filter((one) => one !== slug));
    expect((await readAnswer(await world.manage(`/endpoints/${slug}`))).body.command).toBe('echo mine');
    const second = await bring('docker-restart');
    expect([slugsIn(second), second.body.skipped]).toEqual([
      [],
      slugsOf('docker-restart').map((one) => ({ slug: one, reason: 'slug_taken' })),
    ]);
  });

  test('makes each endpoint once, though many import at the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => bring('git-status')));
    const slugs = slugsOf('git-status');
    for (const slug of slugs) expect(all.filter((one) => slugsIn(one).includes(slug))).toHaveLength(1);
    for (const one of all)
      expect(slugsIn(one).length + (one.body.skipped as object[]).length).toBe(slugs.length);
  });

  test('takes in the whole gallery, and leaves an entry for each endpoint in the audit log', async () => {
    const before =
      ((await readAnswer(await world.manage('/audit?limit=1'))).body.items as { seq: number }[])[0]?.seq ?? 0;
    let made = 0;
    for (const { template_id: id } of cards) {
      const imported = await bring(id);
      expect([id, imported.status]).toEqual([id, 201]);
      made += slugsIn(imported).length;
    }
    const { items } = (await readAnswer(await world.manage('/audit?limit=100&action=endpoint.created')))
      .body as {
      items: { seq: number; details: Record<string, unknown> }[];
    };
    const entries = items.filter(({ seq }) => seq > before);
    expect(entries).toHaveLength(Math.min(100, made));
    for (const { details } of entries) expect(TEMPLATE_TEXTS.has(String(details.template))).toBe(true);
  });

  test('is for those who may make endpoints', async () => {
    const approvals = new Approvals(world);
    const [lin, ann] = [
      await approvals.member('lin@example.com'),
      await approvals.member('ann@example.com', 'admin'),
    ];
    const workspace = world.start.username;
    const by = (person: Person) =>
      person.ask('POST', '/api/templates/import', { body: { template_id: 'memory' }, workspace });
    expect((await by(lin)).status).toBe(403);
    expect((await by(ann)).status).toBe(201);
    const nobody = await fetch(`${world.hub.hubUrl}/api/templates/import`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{"template_id":"memory"}',
    });
    expect(nobody.status).toBe(401);
  });

  test('of a template that there is not makes nothing', async () => {
    expect((await bring('none')).status).toBe(404);
    expect((await readAnswer(await send('POST', '/api/templates/import', {}))).status).toBe(400);
  });
});
