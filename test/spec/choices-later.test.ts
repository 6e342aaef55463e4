// Values of schedules and of steps, which no form has checked, against lists that endpoints print: decision 69, choices from an endpoint.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { makePipeline, postOf, showRun } from '../pipelines.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';

setDefaultTimeout(60_000);

const MINUTE_MS = 60_000;

let world: HubWorld;
let agent: RealAgent;
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  world = await hubWorld();
  const env = (more: object = {}) => ({ name: 'env', default: 'eu', choices_from: 'envs', ...more });
  const writes = (name: string) => `echo {{env}} | tee -a ${folder.path}/${name}`;
  const schedule = '* * * * *';
  agent = await realAgent(world, [
    { name: 'envs', command: `cat ${folder.path}/envs.txt` },
    { name: 'nightly', command: writes('nightly'), schedule, args: [env()] },
    { name: 'lax', command: writes('lax'), schedule, args: [env({ choices_check: false })] },
    { name: 'pick', command: 'echo {{env}}', args: [{ name: 'env', required: true }] },
    { name: 'retire', command: `echo us > ${folder.path}/envs.txt` },
    { name: 'deploy', command: writes('deploy'), args: [env()] },
    { name: 'force', command: writes('force'), args: [env({ choices_check: false })] },
    { name: 'after', command: `touch ${folder.path}/after` },
  ]);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const pathOf = (name: string) => join(folder.path, name);
const list = async (...values: string[]) => void (await Bun.write(pathOf('envs.txt'), values.join('\n')));
const written = (name: string) => (existsSync(pathOf(name)) ? readFileSync(pathOf(name), 'utf8') : '');
const GONE = 'argument "env": "eu" is not in the list that "envs" gives now';

interface Recorded {
  readonly endpoint: string;
  readonly status: string;
  readonly code?: string;
  readonly error?: string;
  readonly exit_code?: number;
  readonly started_at?: string;
  readonly scheduled_for?: string;
}

async function show(id: string): Promise<Recorded> {
  return (await (await world.manage(`/executions/${id}`)).json()) as Recorded;
}

describe('a schedule', () => {
  /** The executions of the next minute, by endpoint. */
  async function nextMinute(): Promise<Record<string, Recorded>> {
    world.clock.move(MINUTE_MS);
    const minute = new Date(world.clock.nowMs()).toISOString().slice(0, 17);
    let ids: string[] = [];
    await until(async () => {
      const listed = await world.manage('/executions?limit=100&trigger=schedule');
      const { items } = (await listed.json()) as { items: (Recorded & { execution_id: string })[] };
      const ended = items.filter(
        ({ scheduled_for: at, status }) => at?.startsWith(minute) && !/^(queued|running)$/.test(status),
      );
      ids = ended.map((one) => one.execution_id);
      return ids.length === 2;
    });
    const all = await Promise.all(ids.map(show));
    return Object.fromEntries(all.map((one) => [one.endpoint, one]));
  }

  test('runs with a value that its list has', async () => {
    await list('eu', 'us');
    const { nightly, lax } = await nextMinute();
    expect(nightly).toMatchObject({ status: 'succeeded', exit_code: 0 });
    expect(lax).toMatchObject({ status: 'succeeded', exit_code: 0 });
    expect([written('nightly'), written('lax')]).toEqual(['eu\n', 'eu\n']);
  });

  test('with a value that has left its list is refused and says why, unless it leaves the check out', async () => {
    await list('us');
    const { nightly, lax } = await nextMinute();
    expect(nightly).toMatchObject({ status: 'rejected', code: 'invalid_argument', error: GONE });
    expect(nightly).not.toHaveProperty('exit_code');
    expect(lax).toMatchObject({ status: 'succeeded', exit_code: 0 });
    expect([written('nightly'), written('lax')]).toEqual(['eu\n', 'eu\neu\n']);
    const { items } = (await (await world.manage('/schedules')).json()) as { items: { endpoint: string }[] };
    expect(items.find(({ endpoint }) => endpoint === 'nightly')).toMatchObject({
      last_fire: { status: 'rejected' },
    });
  });

  test('whose list cannot be read does not run, unless it leaves the check out', async () => {
    await rm(pathOf('envs.txt'));
    const { nightly, lax } = await nextMinute();
    expect(nightly).toMatchObject({
      status: 'rejected',
      code: 'unavailable',
      error: 'argument "env" cannot be checked: "envs" ended with exit code 1',
    });
    expect(lax).toMatchObject({ status: 'succeeded' });
  });

  test('runs again once its list has the value again', async () => {
    await list('eu');
    expect((await nextMinute()).nightly).toMatchObject({ status: 'succeeded' });
  });
});

describe('a step', () => {
  /** Runs steps one after another to the end of the run. */
  async function run(slug: string, ...nodes: { id: string; endpoint: string; args?: object }[]) {
    await makePipeline(world, {
      slug,
      nodes: nodes.map((node, at) => (at === 0 ? node : { ...node, needs: [nodes[at - 1]?.id] })),
    });
    const begun = await world.manage('/pipeline-runs', postOf({ pipeline: slug }));
    const { run_id: id } = (await begun.json()) as { run_id: string };
    await until(async () => !/^(queued|running)$/.test((await showRun(world, id)).status));
    const shown = await showRun(world, id);
    const executions = shown.nodes.map(({ attempts }) => attempts.at(-1)?.execution_id);
    const records = await Promise.all(
      executions.map(async (one) => (one === undefined ? undefined : await show(one))),
    );
    return { status: shown.status, nodes: shown.nodes.map(({ status }) => status), records };
  }
  const PICK = { id: 'pick', endpoint: 'pick', args: { env: 'eu' } };
  const PICKED = { env: '{steps.pick.output}' };

  test('runs with a value that its list has, also one that an earlier step printed', async () => {
    await list('eu');
    const { status, records } = await run('picked', PICK, { id: 'deploy', endpoint: 'deploy', args: PICKED });
    expect([status, records[1]?.status, written('deploy')]).toEqual(['succeeded', 'succeeded', 'eu\n']);
  });

  test('is refused if the value leaves its list while the run goes on, and no later step runs', async () => {
    await list('eu', 'us');
    const { status, nodes, records } = await run(
      'retired',
      PICK,
      { id: 'retire', endpoint: 'retire' },
      { id: 'deploy', endpoint: 'deploy', args: PICKED },
      { id: 'after', endpoint: 'after' },
    );
    expect([status, nodes]).toEqual(['failed', ['succeeded', 'succeeded', 'failed', 'skipped']]);
    expect(records[2]).toMatchObject({ status: 'rejected', code: 'invalid_argument', error: GONE });
    expect([written('deploy'), existsSync(pathOf('after'))]).toEqual(['eu\n', false]);
  });

  test('that leaves the check out runs with any value', async () => {
    await list('us');
    const { status, records } = await run('forced', PICK, { id: 'force', endpoint: 'force', args: PICKED });
    expect([status, records[1]?.status, written('force')]).toEqual(['succeeded', 'succeeded', 'eu\n']);
  });

  test('is refused with a default that is not in its list', async () => {
    const { status, records } = await run('by-default', { id: 'deploy', endpoint: 'deploy' });
    expect(status).toBe('failed');
    expect(records[0]).toMatchObject({ status: 'rejected', code: 'invalid_argument', error: GONE });
  });
});
