// The operator's commands for the hosted runner: decision 49, the hosted runner, and decision 53, the program.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { runSvc, startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

let world: HubWorld;
let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
  world = await hubWorld();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const svc = (args: readonly string[], env: Record<string, string> = {}) =>
  runSvc(args, { cwd: folder.path, env: { SVC_DATA_DIR: world.dataDir, ...env } });
const HOST = ['agent', '--runner', 'container'];
const places = () => ['--state-dir', join(folder.path, 'state'), '--image', join(folder.path, 'image')];
const host = (token: string, ...more: string[]) => {
  return svc([...HOST, ...places(), ...more], { SVC_TOKEN: token, SVC_BASE_URL: world.hub.localUrl });
};

test('a runner token is printed once, listed with its hosts and without itself, and revoked', async () => {
  const created = await svc(['admin', 'runner-token', 'create', 'rack 3']);
  const token = created.stdout.trim();
  expect(token).toMatch(/^svc_rt_[0-9A-Za-z]+$/);
  await using _host = await world.host({ token });
  const list = () => svc(['admin', 'runner-token', 'list', '--json']);
  let listed = await list();
  // The hub records by itself which hosts are connected.
  while (!listed.stdout.includes('"online"')) listed = await list();
  const { id, ...row } = JSON.parse(listed.stdout) as { id: string };
  expect(row).toMatchObject({
    name: 'rack 3',
    last4: token.slice(-4),
    revoked_at: null,
    hosts: [{ hostname: 'test', engine: 'script', capacity: 100, status: 'online' }],
  });
  expect(listed.stdout).not.toContain(token);
  expect((await svc(['admin', 'runner-token', 'revoke', id])).exitCode).toBe(0);
  expect((await svc(['admin', 'runner-token', 'list'])).stdout).toContain('revoked');
  const unknown = await svc(['admin', 'runner-token', 'revoke', 'x']);
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('no runner token "x"')]);
});

test('a network is allowed and denied by username; an unknown one is reported', async () => {
  const { username } = world.start;
  expect(await svc(['admin', 'hosted-network', 'allow', username])).toMatchObject({ exitCode: 0 });
  expect(await svc(['admin', 'hosted-network', 'deny', username, '--json'])).toMatchObject({
    exitCode: 0,
    stdout: `{"username":"${username}","network":false}\n`,
  });
  const unknown = await svc(['admin', 'hosted-network', 'allow', 'nobody']);
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('"nobody"')]);
});

test('a host without what it needs says what, before anything is served', async () => {
  const { token } = await world.admin((admin) => admin.makeRunnerToken('rack 3'));
  const without = await host(token);
  expect(without.exitCode).toBe(2);
  expect(without.stderr).toContain('svc admin runner-image build');
  const wrong = await host(world.start.agentToken);
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('expected a runner token')]);
  const agent = await svc(['agent'], { SVC_TOKEN: token, SVC_BASE_URL: world.hub.localUrl });
  expect([agent.exitCode, agent.stderr.length > 0]).toEqual([2, true]);
  expect((await host(token, '--capacity', '0')).exitCode).toBe(2);
  expect((await host(token, '--waiting', '-1')).exitCode).toBe(2);
});

test('a host that is the first process of a container ends by a signal, though its engine has not answered yet', async () => {
  const { token } = await world.admin((admin) => admin.makeRunnerToken('rack 3'));
  await Bun.write(join(folder.path, 'image/image.json'), JSON.stringify({ digest: '0'.repeat(64) }));
  const asked = Promise.withResolvers<void>();
  const socket = join(folder.path, 'engine.sock');
  using _engine = Bun.listen({ unix: socket, socket: { data: () => asked.resolve() } });
  const started = startSvc([...HOST, '--engine', 'docker', ...places()], {
    cwd: folder.path,
    env: { SVC_TOKEN: token, SVC_BASE_URL: world.hub.localUrl, DOCKER_HOST: `unix://${socket}` },
    wrapper: ['unshare', '--map-root-user', '--pid', '--fork', '--kill-child'],
  });
  await asked.promise;
  const [first = ''] = readFileSync(`/proc/${started.pid}/task/${started.pid}/children`, 'utf8').split(' ');
  process.kill(Number(first), 'SIGTERM');
  expect(await started.exited).toBe(0);
});
