// Files that a step leaves as files of a later step, on another agent: decision 82, artifacts as inputs of steps.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Glob } from 'bun';
import { untilPoll } from '../files.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { makePipeline, postOf, showRun, type WholeRun } from '../pipelines.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';

const BUILD = [
  'cd "$SVC_OUTPUT_DIR" && mkdir -p dist && head -c 3000000 /dev/urandom > dist/app.bin',
  'printf hello > note && : > empty && sha256sum dist/app.bin',
];
const file = (name: string, more: object = {}) => ({ name, type: 'file', ...more });

/** Long enough that a restart meets it on its way. */
const LARGE_BYTES = 60_000_000;
const LARGE = new Bun.CryptoHasher('sha256').update(new Uint8Array(LARGE_BYTES)).digest('hex');

let world: HubWorld;
let builder: RealAgent;
let user: RealAgent;
beforeAll(async () => {
  world = await hubWorld();
  builder = await realAgent(
    world,
    [
      { name: 'build', command: BUILD.join(' && '), artifacts: ['**'], agent_name: 'builder' },
      {
        name: 'large',
        command: `head -c ${LARGE_BYTES} /dev/zero > "$SVC_OUTPUT_DIR/large"`,
        artifacts: ['**'],
        agent_name: 'builder',
      },
    ],
    ['--name', 'builder'],
  );
  user = await realAgent(
    world,
    [
      {
        name: 'use',
        command: 'sha256sum {{app}} && cat {{note}}',
        args: [file('app', { required: true, max_bytes: 1_000_000_000 }), file('note', { max_bytes: 100 })],
        agent_name: 'user',
      },
      {
        name: 'picture',
        command: 'cat {{image}}',
        args: [file('image', { accept: ['image/png'] })],
        agent_name: 'user',
      },
      { name: 'text', command: 'echo {{word}}', args: [{ name: 'word' }], agent_name: 'user' },
    ],
    ['--name', 'user'],
  );
});
afterAll(async () => {
  await user[Symbol.asyncDispose]();
  await builder[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const nodes = (endpoint: string, args: object, first = 'build') => [
  { id: 'build', endpoint: first },
  { id: 'use', endpoint, args, needs: ['build'] },
];

interface Shown {
  readonly output?: string;
  readonly error?: string;
  readonly args: Readonly<Record<string, string>>;
  readonly files?: readonly { readonly argument: string; readonly sha256: string }[];
}

/** Runs a pipeline of its own to its end. */
async function run(slug: string, endpoint: string, args: object) {
  await makePipeline(world, { slug, nodes: nodes(endpoint, args) });
  const called = await world.call(slug, { method: 'POST', headers: { accept: 'application/json' } });
  const { run_id: id } = (await called.json()) as { run_id: string };
  const { status, nodes: ran } = await showRun(world, id);
  const executions = ran.map(({ attempts }) => attempts.at(-1)?.execution_id ?? '');
  const [build, use] = await Promise.all(
    executions.map(async (one) => {
      if (one === '') return undefined;
      return (await (await world.manage(`/executions/${one}`)).json()) as Shown;
    }),
  );
  return { status, build, use, executions };
}

test('a later step on another agent gets the files byte for byte, and both are on record', async () => {
  const { status, build, use, executions } = await run('handed-on', 'use', {
    app: '{steps.build.artifacts.dist/app.bin}',
    note: '{steps.build.artifacts.note}',
  });
  const sha256 = build?.output?.slice(0, 64) ?? '';
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  expect([status, use?.output?.slice(0, 64), use?.output?.endsWith('hello')]).toEqual([
    'succeeded',
    sha256,
    true,
  ]);
  expect(use?.args.app).toBe(`/executions/${executions[0]}/artifacts/dist/app.bin`);
  expect(use?.files?.map(({ argument }) => argument)).toEqual(['app', 'note']);
  expect(use?.files?.[0]?.sha256).toBe(sha256);
});

test('the limits of a file argument hold, and a file that is not there fails its step', async () => {
  const long = await run('too-long', 'use', {
    app: '{steps.build.artifacts.empty}',
    note: '{steps.build.artifacts.dist/app.bin}',
  });
  expect([long.status, long.use]).toEqual(['failed', undefined]);
  const wrong = await run('wrong-type', 'picture', { image: '{steps.build.artifacts.note}' });
  expect([wrong.status, wrong.use?.error]).toEqual([
    'failed',
    expect.stringContaining('the file is text/plain by its content'),
  ]);
  const absent = await run('absent', 'picture', { image: '{steps.build.artifacts.other}' });
  expect([absent.status, absent.use]).toEqual(['failed', undefined]);
});

test('saving refuses files where none can go, and texts where a file goes', async () => {
  const check = async (endpoint: string, args: object) => {
    const pipeline = { slug: 'checked', nodes: nodes(endpoint, args) };
    const answer = await world.manage('/pipelines/check', postOf(pipeline));
    const { findings } = (await answer.json()) as { findings: { message: string }[] };
    return findings.map(({ message }) => message);
  };
  const needs = 'takes a file of an earlier step, as in {steps.build.artifacts.app.zip}';
  expect(await check('use', { app: '/etc/passwd' })).toEqual([`argument "app" ${needs}`]);
  expect(await check('use', {})).toEqual([`argument "app" ${needs}`]);
  expect(await check('text', { word: '{steps.build.artifacts.note}' })).toEqual([
    'argument "word" takes no file',
  ]);
  expect(await check('text', { word: 'a {steps.build.artifacts.note}' })).toEqual([
    expect.stringContaining('a file is the whole value'),
  ]);
  expect(await check('use', { app: '{steps.use.artifacts.note}' })).toEqual(
    expect.arrayContaining([expect.stringContaining('does not run before "use"')]),
  );
  const unkept = [
    { id: 'say', endpoint: 'text' },
    { id: 'use', endpoint: 'use', args: { app: '{steps.say.artifacts.note}' }, needs: ['say'] },
  ];
  const refused = await world.manage('/pipelines', postOf({ slug: 'unkept', nodes: unkept }));
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining('step \\"say\\" leaves no files'),
  ]);
});

/** Begins a run, and settles when `isSo` is true of it. */
async function begin(slug: string, args: object, first?: string) {
  await makePipeline(world, { slug, nodes: nodes('use', args, first) });
  const begun = await world.manage('/pipeline-runs', postOf({ pipeline: slug }));
  const { run_id: id } = (await begun.json()) as { run_id: string };
  return async (isSo: (run: WholeRun) => boolean) => {
    await untilPoll(async () => isSo(await showRun(world, id)));
    return await showRun(world, id);
  };
}

test('a step that waits while its hub restarts gets its file from the store', async () => {
  await user.kill();
  const until = await begin('waits', { app: '{steps.build.artifacts.dist/app.bin}' });
  await until(({ nodes: [, use] }) => use?.attempts[0]?.status === 'queued');
  await builder.through(() => world.restart());
  await user.restart();
  expect((await until(({ status }) => status !== 'running')).status).toBe('succeeded');
});

test('a hub that restarts in the middle of a file sends the rest of it', async () => {
  const until = await begin('moved', { app: '{steps.build.artifacts.large}' }, 'large');
  // The form is on its way: the agent has a part of the file.
  const parts = new Glob('**/files/*/app*');
  await untilPoll(() => [...parts.scanSync({ cwd: user.stateFolder, dot: true })].length > 0);
  await user.through(() => builder.through(() => world.restart()));
  const { status, nodes: ran } = await until((run) => run.status !== 'running');
  const shown = await world.manage(`/executions/${ran[1]?.attempts.at(-1)?.execution_id}`);
  expect([status, await shown.json()]).toMatchObject([
    'succeeded',
    { files: [{ bytes: LARGE_BYTES, sha256: LARGE }] },
  ]);
});
