import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HubFrameOf } from '@svc/core/protocol/frame';
import { connectHost } from './connect-host.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import { hashOf } from './link/definitions.ts';
import { ScriptedHub } from './link/fixtures/scripted-hub.ts';
import { NO_VOLUMES } from './runner/container/fixtures/no-volumes.ts';
import { createProcessRunner } from './runner/process/create-process-runner.ts';
import type { HostedRunner, Launch, Runner } from './runner/runner.ts';
import { Transformer } from './runner/transform/run-transform.ts';

setDefaultTimeout(60_000);

const KEPT = '44444444-4444-4444-8444-444444444444';
const TERMS = { vcpus: 1, memory_bytes: 512 << 20, network: false };

/** Runs commands as processes in a folder instead of containers, and records its calls. */
class FolderRunner implements HostedRunner {
  readonly engine = 'folder';
  readonly capacity = 7;
  readonly launches: Launch[] = [];
  readonly endedRuns: string[] = [];
  readonly outputs = NO_VOLUMES;
  readonly #folder: string;
  readonly #transforms = new Transformer();
  readonly #runner: Runner = createProcessRunner({ transforms: this.#transforms });

  constructor(folder: string) {
    this.#folder = folder;
  }

  start(...[launch, sink]: Parameters<Runner['start']>) {
    this.launches.push(launch);
    return this.#runner.start({ ...launch, cwd: this.#folder }, sink);
  }

  volumes(): readonly string[] {
    return [KEPT];
  }

  async endRun(runId: string): Promise<void> {
    this.endedRuns.push(runId);
    if (runId !== KEPT) throw new Error('there is no such volume');
  }

  async sweep(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runner[Symbol.asyncDispose]();
    await this.#transforms[Symbol.asyncDispose]();
  }
}

let folder: string;
let hub: ScriptedHub;
let runner: FolderRunner;
let host: ConnectedAgent;
let troubles: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-host-'));
  hub = new ScriptedHub();
  runner = new FolderRunner(folder);
  troubles = [];
  host = await connectHost({
    baseUrl: hub.url,
    token: 'svc_rt_test',
    stateFolder: join(folder, 'state'),
    version: '0.0.0',
    environment: { ...process.env, OF_THE_HOST: 'not for containers' },
    random: () => 0,
    onEvent: (event) => void (event.kind === 'trouble' && troubles.push(event.message)),
    runnerIn: async () => runner,
  });
  await hub.greeted();
});
afterEach(async () => {
  await host.stopNow();
  await hub[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** An order that a hub sends to a host. */
function order(definition: Record<string, unknown>, more: Partial<HubFrameOf<'run'>> = {}) {
  const whole = { name: 'job', ...definition };
  return { definition: whole, hash: hashOf(whole), hosted: TERMS, ...more };
}

test('a host reports its capacity and its volumes, and announces no endpoints', async () => {
  expect(hub.tokens).toEqual(['Bearer svc_rt_test']);
  expect(hub.hellos[0]).toMatchObject({
    agent: 'hosted',
    endpoints: [],
    runner: { engine: 'folder', capacity: 7, volumes: [KEPT] },
  });
});

test('a command gets all secrets by name and nothing of the host; its own env wins; all secrets are masked', async () => {
  const id = hub.run(
    'job',
    order(
      { command: 'env', env: { SHARED: 'of the endpoint' } },
      { secrets: { TOKEN: 'hush-hush', SHARED: 'of all' } },
    ),
  );
  const { output } = await hub.ended(id);
  const names = output
    .split('\n')
    .map((line) => line.split('=')[0])
    .filter((name) => name !== '');
  expect(names.toSorted()).toEqual([
    'HOME',
    'LANG',
    'PATH',
    'SHARED',
    'SVC_ENDPOINT',
    'SVC_EXECUTION_ID',
    'TOKEN',
    'USER',
  ]);
  expect(output).toContain('SHARED=of the endpoint\n');
  expect(output).toContain('TOKEN=***\n');
  expect(runner.launches[0]?.masks).toEqual(['hush-hush', 'of all']);
});

test('a container follows the order and runs below /workspace, whatever cwd the endpoint has', async () => {
  const runId = crypto.randomUUID();
  const hosted = { ...TERMS, network: true, run_id: runId };
  await hub.ended(hub.run('job', order({ command: 'true', cwd: '/srv/app' }, { hosted, timeout: 9 })));
  expect(runner.launches[0]).toMatchObject({
    cwd: '/workspace',
    timeoutMs: 9_000,
    container: { vcpus: 1, memoryBytes: 512 << 20, network: true, runId },
  });
});

test('$svc: and arguments work as on an agent', async () => {
  const definition = { command: 'echo {{who}} $svc:NAME', args: [{ name: 'who' }] };
  const id = hub.run('job', order(definition, { args: { who: 'ada' }, secrets: { NAME: 'lovelace' } }));
  expect((await hub.ended(id)).output).toBe('ada ***\n');
});

test.each([
  ['without a definition', { hosted: TERMS }, 'bad_definition'],
  ['without hosted terms', { ...order({ command: 'true' }), hosted: undefined }, 'bad_definition'],
  ['with another hash', { ...order({ command: 'true' }), hash: '0'.repeat(64) }, 'bad_definition'],
  [
    'with a secret that sets what programs load',
    order({ command: 'true' }, { secrets: { LD_PRELOAD: 'x' } }),
    'bad_values',
  ],
])('an order %s starts nothing', async (_, given, reason) => {
  const { ending } = await hub.ended(hub.run('job', given as Partial<HubFrameOf<'run'>>));
  expect(ending).toMatchObject({ kind: 'refused', reason });
  expect(runner.launches).toEqual([]);
});

test('the volume of a run is removed at the order of the hub and with the next welcome; a failure ends nothing', async () => {
  hub.send({ type: 'run_ended', run_id: KEPT });
  const other = crypto.randomUUID();
  hub.welcome = (hello) => ({ ...hub.welcomeTo(hello), ended_runs: [other] });
  await hub.ended(hub.run('job', order({ command: 'true' })));
  expect(runner.endedRuns).toEqual([KEPT]);
  hub.cut();
  await hub.greeted(2);
  await hub.ended(hub.run('job', order({ command: 'true' })));
  expect(runner.endedRuns).toEqual([KEPT, other]);
  expect(troubles).toEqual(['the volume of a pipeline run could not be removed']);
});

test('a stopping host accepts nothing new, and running commands may finish', async () => {
  const running = hub.run(
    'job',
    order({ command: `sh -c 'touch begun; while [ ! -e go ]; do sleep 0.02; done; echo over'` }),
  );
  while (!(await Bun.file(join(folder, 'begun')).exists()))
    await new Promise((resolve) => setImmediate(resolve));
  const stopped = host.stop();
  await hub.until(() => hub.hasAnsweredLeaving);
  const late = await hub.ended(hub.run('job', order({ command: 'true' })));
  expect(late.ending).toMatchObject({ kind: 'refused', reason: 'leaving' });
  await Bun.write(join(folder, 'go'), '');
  expect((await hub.ended(running)).output).toBe('over\n');
  await stopped;
});
