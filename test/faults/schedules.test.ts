// kill -9 of a hub in the middle of firing, at different points: each fire has one record, and runs at most once (decision
// 37, schedules).
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { openHubFile } from '../hub-file.ts';
import { hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { MovableClock } from '../movable-clock.ts';
import { ScriptedAgent } from '../scripted-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(process.env.SVC_TEST_LONG === undefined ? 120_000 : 600_000);

const LONG = process.env.SVC_TEST_LONG !== undefined;
const ROUNDS = LONG ? 20 : 4;
const MINUTE_MS = 60_000;
/** More than one commit of the store takes together. */
const COUNT = 700;
/** The time that a hub has before its minute begins: to start, and its agent to connect. */
const BEFORE_MS = 1_500;
/** Recording all fires and giving them to the agent takes about this long. */
const FIRING_MS = 300;
const ENDPOINTS = Array.from({ length: COUNT }, (_, index) => ({
  name: `job-${index}`,
  command: 'true',
  schedule: '* * * * *',
}));

let folder: TemporaryFolder;
let port: number;
let token: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  // An account and an agent token, made by a hub that then stops cleanly.
  await using seed = await hubWorld({
    env: { SVC_DATA_DIR: folder.path },
    clock: new MovableClock(Date.now()),
  });
  port = seed.hub.port;
  token = seed.start.agentToken;
});
afterEach(() => folder[Symbol.asyncDispose]());

/** An agent that finishes every order at once, and keeps a journal: the ends that the hub has not acknowledged yet. */
class QuickAgent {
  readonly #runs = new Map<string, number>();
  readonly #journal = new Set<string>();

  /** Those that it was ordered to run more than once. */
  get twice(): string[] {
    return [...this.#runs].filter(([, count]) => count > 1).map(([id]) => id);
  }

  async connect(hubUrl: string): Promise<ScriptedAgent> {
    const known = [...this.#journal];
    const inFlight = known.map((id) => ({ execution_id: id, last_seq: 0, ended: true }));
    const agent = await ScriptedAgent.connect({ hubUrl, token, endpoints: ENDPOINTS, inFlight });
    for (const { execution_id: id } of agent.welcome.resume) agent.end(id, 0);
    for (const id of agent.welcome.unknown) this.#journal.delete(id);
    void this.#run(agent).catch(() => undefined);
    void this.#forget(agent).catch(() => undefined);
    return agent;
  }

  async #run(agent: ScriptedAgent): Promise<void> {
    for (;;) {
      const { execution_id: id } = await agent.receive('run');
      this.#journal.add(id);
      this.#runs.set(id, (this.#runs.get(id) ?? 0) + 1);
      agent.end(id, 0);
    }
  }

  async #forget(agent: ScriptedAgent): Promise<void> {
    for (;;) this.#journal.delete((await agent.receive('ended_ack')).execution_id);
  }
}

async function startHub(aheadMs: number) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'shifted-hub.ts'), String(aheadMs)], {
    env: { ...process.env, SVC_DATA_DIR: folder.path, SVC_PORT: String(port), SVC_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Lines(child.stdout).find(/^http/);
  return child;
}

/** Before the minutes under test: a schedule that is registered late has its first fire a minute later. */
async function register(agent: QuickAgent, hubUrl: string, aheadMs: number): Promise<void> {
  const hub = await startHub(aheadMs);
  const connection = await agent.connect(hubUrl);
  hub.kill('SIGKILL');
  await hub.exited;
  await connection[Symbol.asyncDispose]();
}

interface Fire {
  readonly slug: string;
  readonly at: number;
  readonly state: string;
}

function firesOf(minuteMs: number): Fire[] {
  using database = openHubFile(folder.path, { readonly: true });
  return database
    .query<Fire, [number]>(
      'select slug, scheduled_for_ms as at, state from executions where scheduled_for_ms = ? order by slug',
    )
    .all(minuteMs);
}

/** The hub's background work shows in its records. */
async function untilSettled(minuteMs: number): Promise<Fire[]> {
  for (;;) {
    const fires = firesOf(minuteMs);
    const isSettled = ({ state }: Fire) => state !== 'queued' && state !== 'running';
    if (fires.length >= COUNT && fires.every(isSettled)) return fires;
    await Bun.sleep(20);
  }
}

test(`${ROUNDS} times in the middle of firing ${COUNT} schedules: each fire is on record once, and runs at most once`, async () => {
  const agent = new QuickAgent();
  const hubUrl = `http://127.0.0.1:${port}`;
  let minuteMs = Math.floor(Date.now() / MINUTE_MS + 5) * MINUTE_MS;
  const states = new Map<string, number>();
  await register(agent, hubUrl, minuteMs + MINUTE_MS / 2 - Date.now());
  for (let round = 0; round < ROUNDS; round += 1) {
    minuteMs += 2 * MINUTE_MS;
    const aheadMs = minuteMs - BEFORE_MS - Date.now();
    const hub = await startHub(aheadMs);
    const connection = await agent.connect(hubUrl);
    const killAtMs = minuteMs - aheadMs + (round * FIRING_MS) / ROUNDS;
    await Bun.sleep(Math.max(0, killAtMs - Date.now()));
    hub.kill('SIGKILL');
    await hub.exited;
    await connection[Symbol.asyncDispose]();
    const next = await startHub(aheadMs);
    const back = await agent.connect(hubUrl);
    const fires = await untilSettled(minuteMs);
    expect(new Set(fires.map(({ slug }) => slug)).size).toBe(COUNT);
    expect(fires).toHaveLength(COUNT);
    for (const { state } of fires) states.set(state, (states.get(state) ?? 0) + 1);
    next.kill('SIGKILL');
    await next.exited;
    await back[Symbol.asyncDispose]();
  }
  expect(agent.twice).toEqual([]);
  expect([...states.keys()].toSorted()).toEqual(['succeeded']);
});
