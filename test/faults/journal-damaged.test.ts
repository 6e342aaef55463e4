// A real agent in a process of its own and a real hub: journals that are damaged, missing or older than what happened.
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DAMAGES, damage, randomOf } from '@svc/agent/link/fixtures/damage';
import { Receiver } from '@svc/hub/alerts/fixtures/receiver';
import { journalPath } from '../agent-journal.ts';
import { configText } from '../config-text.ts';
import { untilPoll } from '../files.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { within } from '../within.ts';

const ROUNDS = process.env.SVC_TEST_LONG === '1' ? 300 : 24;
const SEED = Number(process.env.SVC_TEST_SEED ?? 16);
const CALLS = 6;

/** The limit of a round, which starts an agent and runs eight commands: 1 s, and 1.5 s at a load of 25 on two cores. */
const ROUND_MS = 60_000;
const STEP_MS = 50_000;
setDefaultTimeout(60_000 + ROUND_MS * ROUNDS);

/** Each run leaves a line when it begins, and one when it ends. */
const COMMAND =
  'echo B >> ran-$SVC_EXECUTION_ID; echo begun; sleep "$SVC_ARG_SECONDS"; echo E >> ran-$SVC_EXECUTION_ID; echo over';
const ENDPOINTS = [{ name: 'job', command: COMMAND, args: [{ name: 'seconds', default: '0' }] }];

interface Execution {
  readonly status: string;
  readonly error: string | null;
}

interface AgentOfHub {
  readonly id: string;
  readonly status: string;
  readonly journal_damaged_at: string | null;
}

interface AgentsPage {
  readonly items: readonly AgentOfHub[];
  readonly next_cursor: string | null;
}

let folder: TemporaryFolder;
let world: HubWorld;
let receiver: Receiver;
let agents: ReturnType<typeof startSvc>[];
beforeEach(async () => {
  agents = [];
  folder = await temporaryFolder();
  receiver = new Receiver();
  world = await hubWorld({ env: { SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.0/8' } });
  await Bun.write(path('svc.yaml'), configText(ENDPOINTS));
});
afterEach(async () => {
  for (const agent of agents) await killed(agent);
  await world[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const path = (name: string) => join(folder.path, name);
const stateFolder = () => dirname(journalPath(path('state')));

async function startAgent() {
  const agent = startSvc(['agent', '--json', '--state-dir', path('state')], {
    cwd: folder.path,
    env: { SVC_TOKEN: world.start.agentToken, SVC_BASE_URL: world.hub.localUrl },
  });
  agents.push(agent);
  const stdout = new Lines(agent.stdout);
  await stdout.find(/"event":"connected"/);
  return { agent, stdout };
}

async function killed(agent: ReturnType<typeof startSvc>): Promise<void> {
  agent.kill('SIGKILL');
  await agent.exited;
}

async function call(seconds: string): Promise<string> {
  const headers = { prefer: 'respond-async', 'content-type': 'application/json' };
  const answer = await world.call('job', { method: 'POST', headers, body: JSON.stringify({ seconds }) });
  return ((await answer.json()) as { execution_id: string }).execution_id;
}

const record = async (id: string) => (await (await world.manage(`/executions/${id}`)).json()) as Execution;

/** The state in which it stays. */
async function ended(id: string): Promise<Execution> {
  await (await world.manage(`/executions/${id}/stream`)).text();
  return await record(id);
}

/** Settles when its command has printed its first line, or it has ended. */
async function begun(id: string): Promise<void> {
  const { body } = await world.manage(`/executions/${id}/stream`);
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? [])
    if (text.includes('begun')) break;
}

function linesOf(id: string): string[] {
  const file = path(`ran-${id}`);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** All of them, from every page: each renewed instance is one more agent. */
async function agentsOfHub() {
  const agents: AgentOfHub[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = await world.manage(`/agents${cursor && `?cursor=${encodeURIComponent(cursor)}`}`);
    const { items, next_cursor } = (await page.json()) as AgentsPage;
    agents.push(...items);
    cursor = next_cursor;
  }
  return agents;
}

/** Settles when the hub has the row of one that is connected. */
async function onlineAgent(isSo: (agent: AgentOfHub) => boolean = () => true): Promise<AgentOfHub> {
  for (;;) {
    const found = (await agentsOfHub()).find((one) => one.status === 'online' && isSo(one));
    if (found !== undefined) return found;
  }
}

test(`${ROUNDS} damaged journals, seed ${SEED}: nothing runs twice, and each execution has one truthful end`, async () => {
  const random = randomOf(SEED);
  let { agent } = await startAgent();
  let damaged = 0;
  const playRound = async (round: number) => {
    const kind = DAMAGES[round % DAMAGES.length] ?? 'nothing';
    const step = <Value>(name: string, work: Promise<Value>) =>
      within(STEP_MS, `round ${round}, "${kind}": ${name}`, work);
    const ids = [await call('0'), await call('0.4')];
    await step('the end of the first call', ended(ids[0] ?? ''));
    cpSync(stateFolder(), path('older'), { recursive: true });
    for (let n = 0; n < CALLS; n += 1) ids.push(await call(random() < 0.3 ? '0' : '0.4'));
    // In one round of three at once: the last orders may not have arrived.
    if (random() < 2 / 3)
      await step('the first line of a command', begun(ids[Math.floor(random() * ids.length)] ?? ''));
    await killed(agent);
    damage(stateFolder(), path('older'), kind, random);
    rmSync(path('older'), { recursive: true });
    ({ agent } = await step('the agent connects', startAgent()));
    const all = await Promise.all(
      ids.map(async (id) => ({ id, ...(await step(`the end of ${id}`, ended(id))) })),
    );
    for (const { id, status, error } of all) {
      const what = `round ${round}, "${kind}": ${id} is ${status} (${error}), and has ${linesOf(id)}`;
      const begun = linesOf(id).filter((line) => line === 'B').length;
      if (begun > 1) throw new Error(`ran twice: ${what}`);
      if (status === 'succeeded' && linesOf(id).join('') !== 'BE') throw new Error(`not true: ${what}`);
      if (status !== 'succeeded' && status !== 'lost') throw new Error(`another end: ${what}`);
    }
    if (kind === 'nothing') expect(all.some(({ error }) => error?.includes('damaged'))).toBe(false);
    if (kind !== 'no journal') return;
    await onlineAgent(({ journal_damaged_at }) => journal_damaged_at !== null);
    damaged += 1;
  };
  for (let round = 0; round < ROUNDS; round += 1) await within(ROUND_MS, `round ${round}`, playRound(round));
  expect(damaged).toBe(Math.floor(ROUNDS / DAMAGES.length));
  const twice = readdirSync(folder.path)
    .filter((name) => name.startsWith('ran-'))
    .filter((name) => readFileSync(path(name), 'utf8').split('B').length > 2);
  expect(twice).toEqual([]);
});

test('a lost journal is reported in the log of the agent and the hub, in GET /agents, and as an alert', async () => {
  const name = 'agent.journal_damaged';
  const rule = { name: 'damage', channel: 'webhook', target: receiver.url, events: [name] };
  const headers = { 'content-type': 'application/json' };
  const made = await world.manage('/alerts', { method: 'POST', headers, body: JSON.stringify(rule) });
  expect(made.status).toBe(201);
  const { agent } = await startAgent();
  const before = await onlineAgent();
  expect(before).toMatchObject({ status: 'online', journal_damaged_at: null });
  const id = await call('60');
  await untilPoll(() => linesOf(id).length === 1);
  await killed(agent);
  await world.untilNoAgent();
  rmSync(journalPath(path('state')));
  const { stdout } = await startAgent();
  expect(await stdout.find(/journal_damaged/)).toContain('the file');
  expect(await ended(id)).toEqual(
    expect.objectContaining({
      status: 'lost',
      error: 'the journal of agent "default" was damaged: it is not known how the execution ended',
    }),
  );
  await onlineAgent(({ journal_damaged_at }) => journal_damaged_at !== null);
  const after = await agentsOfHub();
  expect(after.find(({ id: process }) => process === before.id)?.status).toBe('offline');
  expect(world.logLines.filter((line) => line.includes('the journal of an agent was damaged'))).toHaveLength(
    1,
  );
  await receiver.until(1);
  expect(receiver.received.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
    { type: name, data: { agent: 'default', reason: 'the file "journal" is missing' } },
  ]);
});

test("a state folder that is older than the hub's record is not trusted, also after the hub was restarted", async () => {
  const first = await startAgent();
  const before = await onlineAgent();
  await ended(await call('0'));
  await killed(first.agent);
  cpSync(stateFolder(), path('older'), { recursive: true });
  const second = await startAgent();
  for (let n = 0; n < 5; n += 1) await ended(await call('0'));
  await killed(second.agent);
  await world.untilNoAgent();
  await world.restart();
  cpSync(path('older'), stateFolder(), { recursive: true });
  // As on another machine: what this one has seen in memory is not there.
  const instance = readFileSync(join(stateFolder(), 'instance'), 'utf8').slice(0, 36);
  rmSync(join('/dev/shm', `svc-agent-${process.getuid?.()}`, instance), { force: true });
  const { stdout } = await startAgent();
  expect(await stdout.find(/journal_damaged/)).toContain('the state folder is an older copy');
  const after = await onlineAgent(({ journal_damaged_at }) => journal_damaged_at !== null);
  expect(after.id).not.toBe(before.id);
  expect((await ended(await call('0'))).status).toBe('succeeded');
});

test('an id that is damaged in the journal locks no agent out', async () => {
  const { agent } = await startAgent();
  const id = await call('60');
  await untilPoll(() => linesOf(id).length === 1);
  await killed(agent);
  const journal = journalPath(path('state'));
  writeFileSync(journal, readFileSync(journal, 'utf8').replace(id, id.replace('0', 'X')));
  await startAgent();
  expect((await ended(id)).status).toBe('lost');
});
