// `svc secrets` against a real hub, as a member who has signed in.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { Logins } from '../../cli/service/logins.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { runSvc } from '../program.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { connect, type Owner, ownerOf } from '../token-world.ts';

setDefaultTimeout(60_000);

let world: HubWorld;
let owner: Owner;
let agents: ScriptedAgent[];
let folder: TemporaryFolder;
let env: Record<string, string>;
beforeAll(async () => {
  world = await hubWorld();
  owner = ownerOf(world);
  await owner.setSecret('DEPLOY_TOKEN');
  world.clock.move(1_000);
  const open = { name: 'open', command: 'deploy $svc:DEPLOY_TOKEN', public: true, schedule: '0 3 * * *' };
  const { token } = await owner.makeToken({ name: 'build server' });
  const deploy = { name: 'deploy', command: 'deploy $svc:DEPLOY_TOKEN' };
  agents = [
    await connect(world, token, { endpoints: [deploy], name: 'build-1' }),
    await connect(world, world.start.agentToken, { endpoints: [open] }),
  ];
  folder = await temporaryFolder();
  env = { XDG_CONFIG_HOME: folder.path, SVC_BASE_URL: world.hub.baseUrl };
  const login = { accessToken: world.start.accessToken, username: 'local' };
  new Logins(env).keep(world.hub.baseUrl, { ...login, expiresAt: '2099-01-01T00:00:00.000Z' });
});
afterAll(async () => {
  for (const agent of agents) await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const secrets = (...args: string[]) => runSvc(['secrets', ...args], { cwd: folder.path, env });

test('lists what waits first, allows an agent, and an endpoint in all ways in which it is opened', async () => {
  const { stdout, exitCode } = await secrets('grants');
  expect(exitCode).toBe(0);
  expect(stdout.split('\n').map((line) => line.replace(/ {2}[0-9a-f-]{16,}$/, ''))).toEqual([
    'DEPLOY_TOKEN  waiting  may `build-1` have `DEPLOY_TOKEN`? (build server)',
    'DEPLOY_TOKEN  waiting  may the public endpoint `open` use `DEPLOY_TOKEN`?',
    'DEPLOY_TOKEN  waiting  may the schedule of `open` use `DEPLOY_TOKEN`?',
    'DEPLOY_TOKEN  granted  may `default` have `DEPLOY_TOKEN`? (svc up)',
    '',
  ]);
  expect((await secrets('allow', 'DEPLOY_TOKEN', 'build-1')).stdout).toContain('allowed  may `build-1` have');
  expect((await secrets('refuse', 'DEPLOY_TOKEN', 'open')).stdout.match(/refused/g)).toHaveLength(2);
  expect((await secrets('grants', '--state', 'waiting')).stderr).toBe('no grants\n');
  const [allowed] = await owner.grants('allowed');
  expect(JSON.parse((await secrets('refuse', 'DEPLOY_TOKEN', 'build-1', '--json')).stdout)).toMatchObject({
    ...{ id: allowed?.id, state: 'refused', name: 'build-1' },
  });
});

test('asks for the id where several processes have one name, and says what it does not know', async () => {
  const unknown = await secrets('allow', 'DEPLOY_TOKEN', 'nothing');
  expect(unknown).toMatchObject({ exitCode: 2 });
  expect(unknown.stderr).toContain('no agent or endpoint "nothing" uses a secret "DEPLOY_TOKEN"');
  expect(await secrets('grants', '--state', 'moon')).toMatchObject({ exitCode: 2 });
  const deploy = { name: 'pooled', command: 'deploy $svc:DEPLOY_TOKEN' };
  const { token } = await owner.makeToken({ agent_name: 'pool' });
  for (let n = 0; n < 3; n += 1)
    await (await connect(world, token, { endpoints: [deploy], name: 'pool' })).vanish();
  await secrets('allow', 'DEPLOY_TOKEN', 'pool');
  const several = await secrets('allow', 'DEPLOY_TOKEN', 'pool');
  expect(several).toMatchObject({ exitCode: 2 });
  expect(several.stderr).toContain('several agents named "pool" use "DEPLOY_TOKEN": give the id of one');
  const [one] = (await owner.grants('waiting')).filter(({ kind }) => kind === 'process');
  expect((await secrets('allow', 'DEPLOY_TOKEN', one?.id ?? '')).stdout).toContain('allowed');
});
