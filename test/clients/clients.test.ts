// The clients of docs/guides/from-programs.md against a real hub and a real agent: one scenario, three runtimes.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { signIn } from '../people.ts';
import { makePipeline } from '../pipelines.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type RedirectingServer, redirectingServer } from '../redirecting-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { type UnreliableProxy, unreliableProxy } from './unreliable-proxy.ts';

const ROOT = join(import.meta.dir, '../..');
const TEXT = { type: 'text' };

let folder: TemporaryFolder;
let world: HubWorld;
let agent: RealAgent;
let proxy: UnreliableProxy;
let redirecting: RedirectingServer;
const FORMER = 'before';
beforeAll(async () => {
  folder = await temporaryFolder();
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  proxy = await unreliableProxy(world.hub.hubUrl);
  redirecting = redirectingServer();
  // There and back: FORMER is then a former username.
  const owner = await signIn(world, 'operator@localhost');
  for (const username of [FORMER, world.start.username]) {
    const body = { username, old_urls: 'redirect' };
    expect((await owner.ask('PATCH', '/workspace/username', { body })).status).toBe(200);
  }
  agent = await realAgent(world, [
    { name: 'hello', command: 'echo "Hello, {{name}}!"', args: [{ name: 'name', ...TEXT }] },
    {
      name: 'by-get',
      method: 'GET',
      command: 'echo "{{name}} {{times}}"',
      args: [
        { name: 'name', ...TEXT },
        { name: 'times', ...TEXT },
      ],
    },
    { name: 'fails', command: 'sh -c "exit 3"' },
    { name: 'guarded', command: 'true', approval_required: true },
    { name: 'sum', stdin: 'body', command: 'sha256sum' },
    { name: 'waits', command: 'sleep 60' },
    { name: 'count', command: 'seq {{to}}', args: [{ name: 'to' }] },
    { name: 'once', command: `echo ran >> ${folder.path}/ran; wc -l < ${folder.path}/ran` },
    {
      name: 'orders',
      command: "sh -c 'echo ::add-path::/evil; echo last; exit $0' {{code}}",
      args: [{ name: 'code' }],
    },
    { name: 'open', public: true, command: 'printf "a\\nb\\n"' },
  ]);
  await makePipeline(world, {
    slug: 'ship',
    trigger: { type: 'manual' },
    nodes: [
      { id: 'one', endpoint: 'hello', args: { name: 'x' } },
      { id: 'two', endpoint: 'hello', args: { name: '{steps.one.exit_code}' }, needs: ['one'] },
    ],
  });
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  redirecting[Symbol.dispose]();
  await world[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** The file of the scenario for Node: one file, as a bundler makes it. */
async function bundled(): Promise<string> {
  const { success } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'scenario.ts')],
    target: 'node',
    outdir: folder.path,
  });
  expect(success).toBe(true);
  return join(folder.path, 'scenario.js');
}

const RUNTIMES: readonly (readonly [string, () => Promise<readonly string[]>])[] = [
  ['@svc/client in Bun', async () => [process.execPath, join(import.meta.dir, 'scenario.ts')]],
  ['@svc/client in Node', async () => ['node', await bundled()]],
  ['svc-client in Python', async () => ['python3', join(import.meta.dir, 'scenario.py')]],
];

const SUM_OF_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const urlAt = (slug: string, origin = redirecting.url) => `${origin}/v1/${world.start.username}/${slug}`;

/** What a client says about a redirect that it does not follow. */
function refusal(slug: string, status: number, origin?: string): string {
  const to = origin === undefined ? new URL(urlAt(slug)).pathname : urlAt(slug, origin);
  return `${urlAt(slug)} redirects to "${to}" with ${status}: only 308 at ${redirecting.url} is followed`;
}

test.each(RUNTIMES)('%s calls, streams, resumes, cancels and lists', async (_, program) => {
  await Bun.write(join(folder.path, 'ran'), '');
  const before = (await executionsOf('fails')).length;
  expect(JSON.parse(await run(await program()))).toEqual({
    hello: 'Hello, Ädä & Co!\n',
    byGet: 'x y 2\n',
    fails: 3,
    checked: 3,
    missing: [404, 'not_found'],
    pending: 'pending_approval',
    stdin: `${SUM_OF_ABC}  -\n`,
    run: ['Hello, x!\n', 'Hello, 0!\n'],
    cancelled: [true, 'error', 'cancelled'],
    counted: ['1', '2', '3', '4', '5', 'done'],
    once: '1\n',
    anonymous: ['a', 'b', 'done'],
    executions: Array.from({ length: before + 2 }, () => 'failed'),
    list: ['by-get', 'count', 'fails', 'guarded', 'hello', 'once', 'open', 'orders', 'ship', 'sum', 'waits'],
    former: ['Hello, Ada!\n', 'x 2\n', `${SUM_OF_ABC}  -\n`, 11],
    redirected: [
      refusal('elsewhere', 308, redirecting.other),
      `${urlAt('again')} redirects to ${urlAt('again')}, which redirects again`,
      refusal('found', 302),
    ],
  });
  expect(redirecting.leaked).toEqual([]);
  expect([...proxy.startOver()].sort()).toEqual(
    ['count', 'once'].map((slug) => new URL(world.urlOf(slug)).pathname),
  );
});

/** Runs the action as GitHub's runner does. */
async function act(inputs: Readonly<Record<string, string>>) {
  const outputs = join(folder.path, `outputs-${Bun.hash(JSON.stringify(inputs))}`);
  const variables = Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  const child = Bun.spawn(['node', join(ROOT, 'clients/github-action/main.mjs')], {
    env: {
      PATH: process.env.PATH ?? '',
      GITHUB_OUTPUT: outputs,
      'INPUT_BASE-URL': world.hub.baseUrl,
      'INPUT_API-KEY': world.start.apiKey,
      ...Object.fromEntries(variables),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = (await new Response(child.stdout).text()).trimEnd().split('\n');
  const exitCode = await child.exited;
  return {
    lines,
    exitCode,
    outputs: await Bun.file(outputs)
      .text()
      .catch(() => ''),
  };
}

test('the GitHub Action prints the output, keeps it from the runner, and ends as the command', async () => {
  const endpoint = `${world.start.username}/orders`;
  for (const code of ['0', '3']) {
    const { lines, exitCode, outputs } = await act({ endpoint, args: `code=${code}` });
    const [, border = ''] = /^::stop-commands::(.{36})$/.exec(lines[1] ?? '') ?? [];
    expect(lines.slice(0, 5)).toEqual([
      `::add-mask::${world.start.apiKey}`,
      `::stop-commands::${border}`,
      '::add-path::/evil',
      'last',
      `::${border}::`,
    ]);
    expect(lines.slice(5)).toEqual(code === '0' ? [] : ['::error::the command ended with exit code 3']);
    expect(exitCode).toBe(code === '0' ? 0 : 1);
    expect(outputs).toMatch(
      /^execution-id<<(.{36})\n.{36}\n\1\noutput<<(.{36})\n::add-path::\/evil\nlast\n\2\n/,
    );
    expect(outputs).toMatch(new RegExp(`exit-code<<(.{36})\\n${code}\\n\\1\\n$`));
  }
  const refused = await act({ endpoint: `${world.start.username}/nothing` });
  expect([refused.exitCode, refused.lines.at(-1)]).toEqual([
    1,
    expect.stringMatching(/^::error::there is no/),
  ]);
  const smuggled = await act({ endpoint, args: 'code=0\ncode=3' });
  expect([smuggled.exitCode, smuggled.lines.at(-1)]).toEqual([
    1,
    '::error::args: code is there twice; a value of several lines needs the JSON object',
  ]);
});

const GUIDE = readFileSync(join(ROOT, 'docs/guides/from-programs.md'), 'utf8');
const PRINTED = ['0 Hello, Ada!\n\n', '1\n2\n3\nexit code 0\n'];

test.each([
  ['ts', [process.execPath, '-']],
  ['python', ['python3', '-']],
])('each %s example of the guide prints what it should', async (language, program) => {
  const blocks = GUIDE.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  const examples = [...blocks].map(([, block = '']) => block.replaceAll('ada/', `${world.start.username}/`));
  const source = join(ROOT, 'clients/typescript/src/client.ts');
  const printed = examples.map((text) => run(program, text.replace("'@svc/client'", JSON.stringify(source))));
  expect(await Promise.all(printed)).toEqual(PRINTED);
});

/** Runs a program that must succeed, and returns what it printed. */
async function run(program: readonly string[], stdin = ''): Promise<string> {
  const child = Bun.spawn([...program], {
    env: {
      ...process.env,
      PYTHONPATH: join(ROOT, 'clients/python'),
      PYTHONDONTWRITEBYTECODE: '1',
      SVC_BASE_URL: world.hub.baseUrl,
      SVC_UNRELIABLE_URL: proxy.url,
      SVC_USERNAME: world.start.username,
      SVC_FORMER_USERNAME: FORMER,
      SVC_REDIRECTING_URL: redirecting.url,
      SVC_API_KEY: world.start.apiKey,
    },
    stdin: Buffer.from(stdin),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, stderr]).toEqual([0, '']);
  return stdout;
}

async function executionsOf(endpoint: string): Promise<readonly unknown[]> {
  const headers = { 'x-api-key': world.start.apiKey };
  const answer = await fetch(`${world.hub.baseUrl}/executions?endpoint=${endpoint}&limit=100`, { headers });
  return ((await answer.json()) as { items: unknown[] }).items;
}
