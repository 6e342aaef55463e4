// kill -9 of the hub after every transition of a run that it has put on record: decision 24, states and takeover, and
// decision 41, pipeline runs. Hub and agent are real processes; the hub kills itself between the commit and whatever
// follows from it.
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
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentWorld } from '@svc/agent/link/fixtures/agent-world';
import { openHubFile } from '../hub-file.ts';
import { HubProgram } from '../hub-program.ts';
import { Lines } from '../lines.ts';
import type { WholeRun } from '../pipelines.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(240_000);

const LONG = process.env.SVC_TEST_LONG !== undefined;

/** Each leaves its name where the test counts them. */
const ENDPOINTS = [
  { name: 'note', command: 'echo {{step}} >> ran; echo {{step}}', args: [{ name: 'step', required: true }] },
  { name: 'guarded', command: 'echo guarded >> ran', approval_required: true },
  // Fails at its first try, and leaves a line at each.
  { name: 'shaky', command: 'echo shaky >> ran; [ "$(grep -c shaky ran)" = 2 ]' },
  { name: 'bad', command: 'echo bad >> ran; exit 3' },
];

const note = (id: string, more: object = {}) => ({ id, endpoint: 'note', args: { step: id }, ...more });
/** An approval, a condition, a parallel branch, a retry and a step that fails. */
const nodes = (onFailure: 'stop' | 'continue') => [
  note('first'),
  note('left', { needs: ['first'] }),
  { id: 'shaky', endpoint: 'shaky', needs: ['first'], retry: { limit: 1, backoff: 0 } },
  { id: 'fork', kind: 'condition', expression: "{steps.left.output} == 'left'", needs: ['left', 'shaky'] },
  { id: 'guarded', endpoint: 'guarded', needs: ['fork'] },
  { id: 'bad', endpoint: 'bad', needs: ['guarded'], on_failure: onFailure },
  note('last', { needs: ['bad'] }),
];

/** The result of the run when nothing dies, and how often each command runs. */
const FATES = {
  stop: {
    status: 'failed',
    states:
      'first:succeeded left:succeeded shaky:succeeded fork:succeeded guarded:succeeded bad:failed last:skipped',
    ran: { first: 1, left: 1, shaky: 2, guarded: 1, bad: 1 },
  },
  continue: {
    status: 'succeeded',
    states:
      'first:succeeded left:succeeded shaky:succeeded fork:succeeded guarded:succeeded bad:failed last:succeeded',
    ran: { first: 1, left: 1, shaky: 2, guarded: 1, bad: 1, last: 1 },
  },
} as const;

let built: TemporaryFolder;
let folder: TemporaryFolder;
let program: HubProgram;
let agent: AgentWorld;
let hub: ReturnType<typeof spawnHub> | undefined;

beforeAll(async () => {
  built = await temporaryFolder();
  buildDyingHub(binaryPath());
});
afterAll(() => built[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await temporaryFolder();
  program = await HubProgram.make(folder.path);
  await startHub(0);
  agent = await AgentWorld.make(ENDPOINTS);
  await Bun.write(ranPath(), '');
  // A hub that is gone for half a second need not be waited for a whole one.
  await agent.connect(new URL(program.url), { token: program.agentToken, random: () => 0.02 });
  await agent.until(() => agent.eventsOf('connected')[0]);
});
afterEach(async () => {
  await killHub();
  await agent[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const binaryPath = () => join(built.path, 'dying-hub');

/** As the built binary: it starts in a third of the time that its source takes, and here it starts again and again. */
function buildDyingHub(outfile: string): void {
  const programs = [
    'test/faults/dying-hub.ts',
    'hub/platform/db/sqlite/writer-worker.ts',
    'hub/platform/db/sqlite/read-worker.ts',
    'hub/platform/db/sqlite/checkpoint-worker.ts',
  ];
  const { exitCode, stderr } = Bun.spawnSync(
    [
      process.execPath,
      'build',
      '--compile',
      '--bytecode',
      '--format=esm',
      '--root=.',
      `--outfile=${outfile}`,
      ...programs,
    ],
    { cwd: join(import.meta.dir, '../..') },
  );
  if (exitCode !== 0) throw new Error(stderr.toString());
}

const ranPath = () => join(agent.folder, 'ran');

async function killHub(): Promise<void> {
  hub?.kill('SIGKILL');
  await hub?.exited;
}

function spawnHub(dies: number) {
  return Bun.spawn([binaryPath(), String(dies)], {
    env: {
      ...process.env,
      SVC_DATA_DIR: program.dataDir,
      SVC_PORT: String(program.port),
      SVC_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Settles when it listens, or has died before. */
async function startHub(dies: number): Promise<void> {
  hub = spawnHub(dies);
  await Promise.race([new Lines(hub.stdout).find(/^http/).catch(() => undefined), hub.exited]);
}

function manage(url: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${program.accessToken}`, 'content-type': 'application/json' };
  return fetch(
    `${program.url}${url}`,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  );
}

/** Undefined when the hub dies of it, or is dead. */
async function ask<Answer>(url: string, body?: object): Promise<Answer | undefined> {
  try {
    const response = await manage(url, body);
    return (await response.json()) as Answer;
  } catch {
    return undefined;
  }
}

async function makePipeline(onFailure: 'stop' | 'continue'): Promise<void> {
  const response = await manage('/pipelines', {
    slug: 'run',
    trigger: { type: 'manual' },
    nodes: nodes(onFailure),
  });
  expect(response.status).toBe(201);
}

/** The one run; begun by a call with a key, so that a hub that dies of it begins it once. */
async function begin(): Promise<void> {
  await fetch(`${program.url}/v1/local/run`, {
    method: 'POST',
    headers: { 'x-api-key': program.apiKey, prefer: 'respond-async', 'idempotency-key': 'once' },
  }).catch(() => undefined);
}

/** The run as the hub shows it; approves what waits for a person. */
async function readRun(): Promise<WholeRun | undefined> {
  const list = await ask<{ items: { run_id: string }[] }>('/pipeline-runs');
  const id = list?.items[0]?.run_id;
  const run = id === undefined ? undefined : await ask<WholeRun>(`/pipeline-runs/${id}`);
  const waiting = run?.nodes.find(({ status }) => status === 'waiting_approval');
  const approval = waiting?.attempts.at(-1)?.approval_id;
  if (approval !== undefined) await ask(`/approvals/${approval}/decide`, { decision: 'approve' });
  return run;
}

const ENDED = ['succeeded', 'failed', 'cancelled'];

/** Until the run has ended, or the hub has died. */
async function untilOver(): Promise<WholeRun | 'died'> {
  let hasDied = false;
  void hub?.exited.then(() => {
    hasDied = true;
  });
  for (;;) {
    const run = await readRun();
    if (run !== undefined && ENDED.includes(run.status)) return run;
    if (hasDied) return 'died';
    if (run === undefined) await begin();
    await Bun.sleep(10);
  }
}

function expectFate(run: WholeRun, onFailure: 'stop' | 'continue'): void {
  const { status, states, ran } = FATES[onFailure];
  expect(run.nodes.map((node) => `${node.node}:${node.status}`).join(' ')).toBe(states);
  expect(run.status).toBe(status);
  const lines = readFileSync(ranPath(), 'utf8').trim().split('\n');
  expect(
    Object.fromEntries(lines.map((line) => [line, lines.filter((other) => other === line).length])),
  ).toEqual(ran);
  using database = openHubFile(program.dataDir, { readonly: true });
  const open = database.query('select id from executions where ended_at_ms is null').all();
  const events = database.query(`select count(*) from alert_deliveries`).values();
  expect([open, events]).toEqual([[], [[0]]]);
  const runs = database.query('select state from pipeline_runs').values();
  expect(runs).toEqual([[status]]);
}

/**
 * After which commit each life ends; a negative one: before it. In a short time the hub dies after every one, and before
 * some.
 */
const ALL_LIVES = [1, 2, 3, -2, -3, -4];
const LIVES = LONG ? { stop: ALL_LIVES, continue: ALL_LIVES } : { stop: [1], continue: [-5] };
/** More than there are in a run. */
const POINTS = Array.from({ length: 30 }, (_, n) => n + 1);

describe.each(['stop', 'continue'] as const)('a run with a step that fails and says "%s"', (onFailure) => {
  test.each(LIVES[onFailure])(
    'ends as if nothing had happened when each life of the hub ends after commit %d',
    async (dies) => {
      await makePipeline(onFailure);
      await killHub();
      for (let lives = 1; ; lives += 1) {
        await startHub(dies);
        const over = await untilOver();
        if (over === 'died') continue;
        // One at least for every change of the run, and for the end of each command.
        expect(lives).toBeGreaterThan(15 / Math.abs(dies));
        return expectFate(over, onFailure);
      }
    },
  );

  test.each(LONG ? POINTS : [])(
    'ends as if nothing had happened when the hub is killed after commit %d',
    async (dies) => {
      await makePipeline(onFailure);
      await killHub();
      await startHub(dies);
      const first = await untilOver();
      if (first === 'died') await startHub(0);
      const over = first === 'died' ? await untilOver() : first;
      // The last one lies behind everything that a run puts on record: none was left out.
      if (dies === POINTS.length) expect(first).not.toBe('died');
      if (over === 'died') throw new Error('a hub that was not to die has died');
      expectFate(over, onFailure);
    },
  );
});
