// svc call, svc logs and svc cancel of pipelines: decision 53, the program.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { makePipeline } from '../pipelines.ts';
import { runSvc } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';

let world: HubWorld;
let agent: RealAgent;

beforeAll(async () => {
  world = await hubWorld();
  agent = await realAgent(world, [
    { name: 'build', command: 'printf "compiled %s\\nbuilt\\n" {{ref}}', args: [{ name: 'ref' }] },
    { name: 'fails', command: 'sh -c "echo broken; exit 3"' },
    { name: 'guarded', command: 'true', approval_required: true },
    { name: 'table', command: 'echo [1]', transform: { parse: 'json' } },
  ]);
  const field = { name: 'ref', type: 'string', required: true };
  const pipelines = {
    ship: [
      { id: 'build', endpoint: 'build', args: { ref: '{input.ref}' } },
      { id: 'rows', endpoint: 'table', needs: ['build'] },
    ],
    breaks: [{ id: 'fails', endpoint: 'fails' }],
    waits: [{ id: 'guarded', endpoint: 'guarded' }],
  };
  for (const [slug, nodes] of Object.entries(pipelines)) {
    const trigger = slug === 'ship' ? { type: 'webhook', input_schema: [field] } : { type: 'manual' };
    await makePipeline(world, { slug, trigger, nodes });
  }
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

function svc(...args: string[]) {
  const { apiKey, username } = world.start;
  const env = { SVC_BASE_URL: world.hub.baseUrl, SVC_API_KEY: apiKey, SVC_USERNAME: username };
  return runSvc(args, { cwd: world.dataDir, env });
}

async function newestRun(): Promise<{ run_id: string; status: string }> {
  const { stdout } = await svc('logs', '--runs', '--json');
  return JSON.parse(stdout.split('\n')[0] ?? '') as { run_id: string; status: string };
}

test('svc call prints what the steps print, each line behind the name of its step', async () => {
  expect(await svc('call', 'ship', 'ref=v1')).toMatchObject({
    exitCode: 0,
    stdout: 'build | compiled v1\nbuild | built\nrows | [\nrows |   1\nrows | ]\n',
    stderr: '',
  });
});

test('svc call has the exit code of the step that failed, and says which it was', async () => {
  expect(await svc('call', 'breaks')).toMatchObject({
    exitCode: 3,
    stdout: 'fails | broken\n',
    stderr: 'fails failed: exit code 3\n',
  });
});

test('svc call --json prints the result, and what is wrong with an input', async () => {
  const { stdout, exitCode } = await svc('call', 'ship', 'ref=v2', '--json');
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([
    0,
    { status: 'succeeded', steps: [{ step: 'build', output: 'compiled v2\nbuilt\n' }, { data: [1] }] },
  ]);
  expect(await svc('call', 'ship')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('ref: it is required'),
  });
});

test('svc logs shows a run again, from where one likes', async () => {
  await svc('call', 'ship', 'ref=v3');
  const { run_id: id } = await newestRun();
  const whole = await svc('logs', id);
  expect(whole.stdout).toContain('build | compiled v3\nbuild | built\n');
  const events = (await svc('logs', id, '--json')).stdout.trim().split('\n');
  const first = events
    .map((line) => JSON.parse(line) as { id: string; type: string })
    .find(({ type }) => type === 'output');
  const rest = await svc('logs', id, '--after', first?.id ?? '');
  expect(rest.stdout).not.toContain('compiled v3');
  expect(rest.stdout).toContain('build | built\n');
  const last = events
    .map((line) => JSON.parse(line) as { id: string; type: string })
    .findLast(({ type }) => type === 'transformed_output');
  expect((await svc('logs', id, '--after', last?.id ?? '')).stdout).toBe('');
  expect((await svc('logs', '--runs')).stdout).toContain(id);
});

test('svc cancel ends a run that waits for a person', async () => {
  const calling = svc('call', 'waits');
  let run = await newestRun();
  while (run.status !== 'waiting_approval') run = await newestRun();
  expect(await svc('cancel', run.run_id)).toMatchObject({ exitCode: 0 });
  expect(await calling).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/guarded needs approval.*\n.*the run was cancelled/s),
  });
});

test.each(['logs', 'cancel'])(
  'svc %s of an id that is neither an execution nor a run reports it',
  async (subcommand) => {
    const id = crypto.randomUUID();
    expect(await svc(subcommand, id)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`no execution or pipeline run ${id}.*\\n.*svc logs --runs`)),
    });
  },
);
