// kill -9 of the hub and of the agent at every transition of an execution: decisions 14, 24 and 29. Both are real processes;
// what stands between them stops the world at the frame that belongs to the transition.
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TcpProxy } from '@svc/agent/link/fixtures/tcp-proxy';
import { allForgotten, journaled, journalStarted } from '../agent-journal.ts';
import { openLedger } from '../cluster/ledger.ts';
import { configText } from '../config-text.ts';
import { FrameRelay, type Passing } from '../frame-relay.ts';
import { placeOfTests } from '../hub-database.ts';
import { HubProgram } from '../hub-program.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(300_000);

const LONG = process.env.SVC_TEST_LONG !== undefined;
const ROUNDS = LONG ? 10 : 1;
const PLACE = placeOfTests();
/**
 * For the agent the places are the same, so databases other than SQLite need only a few transitions, unless the test is about
 * faults.
 */
const IS_WHOLE = LONG || process.env.SVC_TEST_FAULTS !== undefined || PLACE === 'one hub on SQLite';

/** Leaves its id where the test counts them, prints one line, waits for its file, and prints another. */
const COMMAND = `
  echo "$SVC_EXECUTION_ID" >> ran
  echo one
  while [ ! -e "go-$SVC_EXECUTION_ID" ]; do sleep 0.01; done
  echo two
`;

/** The result of it, and how often its command ran. */
interface Fate {
  readonly status: 'succeeded' | 'lost';
  readonly output: string;
  readonly runs: number;
}
const WHOLE: Fate = { status: 'succeeded', output: 'one\ntwo\n', runs: 1 };
const LOST_EMPTY: Fate = { status: 'lost', output: '', runs: 1 };
const LOST_AFTER_ONE: Fate = { status: 'lost', output: 'one\n', runs: 1 };

interface Transition {
  readonly at: string;
  /** Brings a new execution to it, and answers its id. */
  readonly reach: () => Promise<string>;
  readonly hubKilled: Fate;
  readonly agentKilled: Fate;
}

const TRANSITIONS: readonly Transition[] = [
  {
    at: 'stored as running with its order not delivered',
    reach: () => acceptUntil(relay.stopAt(({ frame }) => isType(frame, 'run'))),
    hubKilled: WHOLE,
    agentKilled: WHOLE,
  },
  {
    at: 'spawned, and not reported yet',
    reach: () => acceptUntil(relay.stopAt(({ frame }) => isOutput(frame, 1))),
    hubKilled: WHOLE,
    agentKilled: LOST_EMPTY,
  },
  {
    at: 'with its first output stored and not acknowledged',
    reach: () => acceptUntil(relay.stopAt(({ frame }) => isType(frame, 'ack'))),
    hubKilled: WHOLE,
    agentKilled: LOST_AFTER_ONE,
  },
  {
    at: 'with its first output acknowledged',
    reach: () => acceptUntil(relay.passing(({ frame }) => isType(frame, 'ack'))),
    hubKilled: WHOLE,
    agentKilled: LOST_AFTER_ONE,
  },
  {
    at: 'with its end known to the agent and not sent',
    async reach() {
      const id = await acceptUntil(relay.passing(({ frame }) => isType(frame, 'ack')));
      relay.cut();
      openLatch(id);
      await journaled(stateDir, `"ended":"${id}"`);
      return id;
    },
    hubKilled: WHOLE,
    agentKilled: WHOLE,
  },
  {
    at: 'with its end sent and not delivered',
    reach: () => reachEnd(({ frame }) => isType(frame, 'ended')),
    hubKilled: WHOLE,
    agentKilled: WHOLE,
  },
  {
    at: 'with its end stored and not acknowledged',
    reach: () => reachEnd(({ frame }) => isType(frame, 'ended_ack')),
    hubKilled: WHOLE,
    agentKilled: WHOLE,
  },
  {
    at: 'with its end acknowledged and forgotten',
    async reach() {
      const id = await accept();
      openLatch(id);
      await journaled(stateDir, `"forgotten":"${id}"`);
      return id;
    },
    hubKilled: WHOLE,
    agentKilled: WHOLE,
  },
];

let folder: TemporaryFolder;
/** The hub of the agent, and the one that is called: the same, where there are not several. */
let hub: HubProgram;
let called: HubProgram;
let relay: FrameRelay;
let agent: ReturnType<typeof startSvc>;
let stateDir: string;
const accepted: string[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  await Bun.write(path('svc.yaml'), configText([{ name: 'job', command: COMMAND }]));
  await Bun.write(path('ran'), '');
  hub = await HubProgram.make(folder.path);
  called = PLACE === 'several hubs' ? await hub.beside(path('called')) : hub;
  for (const one of new Set([hub, called])) await one.start();
});
afterAll(async () => {
  await called[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});
beforeEach(async () => {
  relay = new FrameRelay(hub.url);
  stateDir = path(`state-${accepted.length}`);
  await startAgent();
});
afterEach(async () => {
  await killAgent();
  await relay[Symbol.asyncDispose]();
});

const path = (name: string) => join(folder.path, name);
const openLatch = (id: string) => writeFileSync(path(`go-${id}`), '');

async function startAgent(): Promise<void> {
  agent = startSvc(['agent', '--json', '--state-dir', stateDir], {
    cwd: folder.path,
    env: { SVC_TOKEN: hub.agentToken, SVC_BASE_URL: relay.url },
  });
  await new Lines(agent.stdout).find(/"event":"connected"/);
}

async function killAgent(): Promise<void> {
  agent.kill('SIGKILL');
  await agent.exited;
}

/** The called hub may not know of the agent yet. */
async function accept(): Promise<string> {
  for (;;) {
    const response = await called.ask('/v1/local/job', { headers: { prefer: 'respond-async' } });
    const { execution_id: id, code } = (await response.json()) as { execution_id: string; code?: string };
    if (code === 'agent_offline') continue;
    accepted.push(id);
    return id;
  }
}

async function acceptUntil(reached: Promise<void>): Promise<string> {
  const id = await accept();
  await reached;
  return id;
}

async function reachEnd(isLast: (passing: Passing) => boolean): Promise<string> {
  const reached = relay.stopAt(isLast);
  const id = await accept();
  openLatch(id);
  await reached;
  return id;
}

function isType(frame: Passing['frame'], type: string): boolean {
  return 'type' in frame && frame.type === type;
}

function isOutput(frame: Passing['frame'], seq: number): boolean {
  return 'kind' in frame && frame.seq === seq;
}

/** The ids that the commands have left, in their order. */
const ran = () => readFileSync(path('ran'), 'utf8').trim().split('\n');
const runsOf = (id: string) => ran().filter((line) => line === id).length;

/** Settles when the hub says that it has ended. */
async function ended(id: string): Promise<Record<string, unknown>> {
  for (;;) {
    await (await called.ask(`/executions/${id}/stream`)).text();
    const record = (await (await called.ask(`/executions/${id}`)).json()) as Record<string, unknown>;
    if (record.status !== 'running' && record.status !== 'queued') return record;
  }
}

async function expectFate(id: string, { status, output, runs }: Fate): Promise<void> {
  expect(await ended(id)).toMatchObject({ status });
  expect(await (await called.ask(`/executions/${id}/output`)).text()).toBe(output);
  expect(runsOf(id)).toBe(runs);
  // Of all the others, too: ended ones stay unchanged, and none has begun again.
  expect(new Set(ran()).size).toBe(ran().length);
  await using ledger = await openLedger(hub.ledger);
  const rows = await ledger.rows<{ id: string; ended_at_ms: number | null }>(
    "select id, ended_at_ms from executions where state <> 'rejected'",
  );
  expect(rows.map((row) => row.id).sort()).toEqual([...accepted].sort());
  expect(rows.filter((row) => row.ended_at_ms === null)).toEqual([]);
}

type Victims = 'the hub' | 'the agent' | 'both' | 'the hub that was called';
const SEVERAL: readonly Victims[] = PLACE === 'several hubs' ? ['the hub that was called'] : [];
const BOTH: readonly Victims[] = LONG ? ['both'] : [];
const VICTIMS: readonly Victims[] = ['the hub', 'the agent', ...BOTH, ...SEVERAL];

/** Kills, starts again, and lets everything go on. */
async function survive(victims: Victims): Promise<void> {
  const isAgent = victims === 'the agent' || victims === 'both';
  const dying = victims === 'the hub that was called' ? called : hub;
  const isHub = victims !== 'the agent';
  await Promise.all([isHub && dying.kill(), isAgent && killAgent()]);
  if (isHub) await dying.start();
  relay.resume();
  if (isAgent) await startAgent();
}

const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);

describe.each(TRANSITIONS.filter((_, index) => IS_WHOLE || index % 4 === 2))(
  'an execution, $at,',
  ({ reach, hubKilled, agentKilled }) => {
    describe.each(VICTIMS)('when kill -9 hits %s', (victims) => {
      test.each(rounds)('ends once and runs at most once (round %d)', async () => {
        const id = await reach();
        await survive(victims);
        openLatch(id);
        await expectFate(id, victims === 'the agent' || victims === 'both' ? agentKilled : hubKilled);
        await allForgotten(stateDir);
      });
    });
  },
);

describe('an order that is in the journal', () => {
  test('and whose command was not spawned yet is lost with its agent, and never runs', async () => {
    const id = await acceptUntil(relay.stopAt(({ frame }) => isType(frame, 'run')));
    await killAgent();
    journalStarted(stateDir, id);
    relay.resume();
    await startAgent();
    openLatch(id);
    await expectFate(id, { status: 'lost', output: '', runs: 0 });
  });

  test.each(rounds)('this very moment runs at most once, and is lost (round %d)', async () => {
    const inJournal = journaled(stateDir, '"started"');
    const id = await accept();
    await inJournal;
    await killAgent();
    await startAgent();
    expect(await ended(id)).toMatchObject({ status: 'lost' });
    expect(runsOf(id)).toBeLessThanOrEqual(1);
  });
});

test('an answer that was on record and never left is given to who asks again with the same key', async () => {
  await using wire = await TcpProxy.to(Number(new URL(hub.url).port));
  const ordered = relay.passing(({ frame }) => isType(frame, 'run'));
  const call = (url: string) =>
    fetch(`${url}/v1/local/job`, {
      headers: { 'x-api-key': hub.apiKey, 'idempotency-key': 'k', accept: 'application/json' },
    });
  const unanswered = call(wire.url.origin).then(
    () => 'answered',
    () => 'broken off',
  );
  await ordered;
  wire.hold();
  const stored = relay.stopAt(({ frame }) => isType(frame, 'ended_ack'));
  const { items } = (await (await hub.ask('/executions')).json()) as { items: { execution_id: string }[] };
  const id = items[0]?.execution_id ?? '';
  accepted.push(id);
  openLatch(id);
  await stored;
  await hub.kill();
  wire.cut();
  expect(await unanswered).toBe('broken off');
  await hub.start();
  relay.resume();
  const again = await call(hub.url);
  expect([again.status, again.headers.get('x-execution-id')]).toEqual([200, id]);
  expect(await again.json()).toMatchObject({ output: 'one\ntwo\n', exit_code: 0 });
  await expectFate(id, WHOLE);
});

describe('many at once, with the world stopped at the frame of number', () => {
  const MANY = 6;
  /** At least an order, output, an end and its acknowledgement for each. */
  const FRAMES = 4 * MANY;
  const some = IS_WHOLE ? [5, 13, 22] : [13];
  const numbers = LONG ? Array.from({ length: FRAMES }, (_, n) => n + 1) : some;
  const all: readonly Victims[] = ['the hub', 'the agent', 'both'];
  // Each number with each of them, or each of both once.
  const cases = numbers.flatMap((number, index) =>
    (LONG ? all : all.slice(index, index + 1)).map((victims) => [number, victims] as const),
  );
  test.each(cases)('%d and kill -9 for %s: each ends once and runs at most once', async (number, victims) => {
    let count = 0;
    const stopped = relay.stopAt(() => ++count === number);
    const ids = await Promise.all(Array.from({ length: MANY }, accept));
    for (const id of ids) openLatch(id);
    await stopped;
    await survive(victims);
    await Promise.all(ids.map(ended));
    for (const id of ids) {
      const { status } = await ended(id);
      const output = await (await called.ask(`/executions/${id}/output`)).text();
      expect(WHOLE.output.startsWith(output)).toBe(true);
      await expectFate(id, status === 'succeeded' ? WHOLE : { status: 'lost', output, runs: runsOf(id) });
      expect(runsOf(id)).toBeLessThanOrEqual(1);
    }
    await allForgotten(stateDir);
  });
});
