// svc call at a former username, and at a server that redirects elsewhere: decision 102, change of username.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { signIn } from '../people.ts';
import { runSvc } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { redirectingServer } from '../redirecting-server.ts';

let world: HubWorld;
let agent: RealAgent;
let input: string;
beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  input = join(world.dataDir, 'input.txt');
  await Bun.write(input, 'abc');
  agent = await realAgent(world, [
    { name: 'say', command: 'printf %s {{text}}', args: [{ name: 'text' }] },
    { name: 'get', method: 'GET', command: 'echo {{n}}', args: [{ name: 'n' }] },
    { name: 'read', stdin: 'body', command: 'cat' },
    { name: 'load', command: 'cat {{file}}', args: [{ name: 'file', type: 'file' }] },
  ]);
  const owner = await signIn(world, 'operator@localhost');
  const body = { username: 'acme', old_urls: 'redirect' };
  expect((await owner.ask('PATCH', '/workspace/username', { body })).status).toBe(200);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const svc = (args: readonly string[], baseUrl = world.hub.baseUrl) =>
  runSvc(['call', ...args], {
    cwd: world.dataDir,
    env: {
      SVC_BASE_URL: baseUrl,
      SVC_API_KEY: world.start.apiKey,
      XDG_CONFIG_HOME: world.dataDir,
    },
    stdin: input,
  });

test.each([
  ['values', ['say', 'text=hello'], 'hello'],
  ['values in the query', ['get', 'n=3'], '3\n'],
  ['standard input', ['read'], 'abc'],
  ['a file', ['load', 'file=@input.txt'], 'abc'],
] as const)('a call at a former username follows with %s', async (_, [slug, ...values], output) => {
  const { username } = world.start;
  const called = await svc([`${username}/${slug}`, '--json', ...values]);
  expect([called.stderr, called.exitCode]).toEqual(['', 0]);
  expect(JSON.parse(called.stdout)).toMatchObject({ output });
});

test('a redirect elsewhere, a second one, or one of another kind gets neither the key nor the values', async () => {
  using redirecting = redirectingServer();
  for (const [slug, reason] of [
    ['elsewhere', `with 308: only 308 at ${redirecting.url} is followed`],
    ['again', 'which redirects again'],
    ['found', `with 302: only 308 at ${redirecting.url} is followed`],
  ] as const) {
    const called = await svc([`acme/${slug}`, 'text=private'], redirecting.url);
    expect([slug, called.exitCode, called.stderr]).toEqual([slug, 1, expect.stringContaining(reason)]);
  }
  expect(redirecting.leaked).toEqual([]);
});
