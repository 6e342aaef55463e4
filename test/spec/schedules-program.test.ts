// `svc schedules` against a real hub, as a member who has signed in.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { Logins } from '../../cli/service/logins.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { runSvc } from '../program.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

const ENDPOINTS = [
  { name: 'backup', command: 'true', schedule: '0 3 * * 1-5' },
  { name: 'report', command: 'true', schedule: '*/15 * * * *' },
];

let world: HubWorld;
let agent: ScriptedAgent;
let folder: TemporaryFolder;
let env: Record<string, string>;
beforeAll(async () => {
  world = await hubWorld();
  agent = await world.agent({ endpoints: ENDPOINTS });
  folder = await temporaryFolder();
  env = { XDG_CONFIG_HOME: folder.path, SVC_BASE_URL: world.hub.baseUrl, SVC_API_KEY: world.start.apiKey };
  const expiresAt = '2099-01-01T00:00:00.000Z';
  new Logins(env).keep(world.hub.baseUrl, {
    accessToken: world.start.accessToken,
    username: 'local',
    expiresAt,
  });
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const schedules = (...args: string[]) => runSvc(['schedules', ...args], { cwd: folder.path, env });

test('lists each with its words, when next, and what came of it last', async () => {
  const { exitCode, stdout } = await schedules('list');
  expect(exitCode).toBe(0);
  expect(stdout.split('\n')).toEqual([
    'backup  0 3 * * 1-5  at 03:00 on Mondays to Fridays, UTC; next 2026-11-23 03:00',
    '        last never, missed never',
    'report  */15 * * * *  every 15 minutes, UTC; next 2026-11-20 12:15',
    '        last never, missed never',
    '',
  ]);
});

test('pauses and resumes one, in words and as JSON', async () => {
  const paused = await schedules('pause', 'report');
  expect(paused).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('every 15 minutes, UTC; paused'),
  });
  const resumed = await schedules('resume', 'report', '--json');
  expect(JSON.parse(resumed.stdout)).toMatchObject({ endpoint: 'report', state: 'active' });
});

test('names the endpoint without a schedule, and asks for a login', async () => {
  const unknown = await schedules('pause', 'nothing');
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('it has no schedule')]);
  const nobody = await runSvc(['schedules', 'list'], {
    cwd: folder.path,
    env: { ...env, XDG_CONFIG_HOME: `${folder.path}/nobody` },
  });
  expect([nobody.exitCode, nobody.stderr]).toEqual([2, expect.stringContaining('svc login')]);
});

test('explains an expression without a service, and refuses one with its place', async () => {
  const { exitCode, stdout } = await schedules('next', '0 0 29 2 *', '--json');
  const explained = JSON.parse(stdout) as { words: string; next_fires: string[] };
  expect([exitCode, explained.words]).toEqual([0, 'at 00:00 on day 29 of the month in February, UTC']);
  expect(explained.next_fires.map((at) => at.slice(4))).toEqual(Array(5).fill('-02-29T00:00:00.000Z'));
  const refused = await schedules('next', '0 24 * * *');
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining('hour "24": 0-23 expected'),
  ]);
});
