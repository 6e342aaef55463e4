// svc approvals, and svc call of what waits: decision 53, the program.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { runSvc, startSvc } from '../program.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';

const HELD = {
  name: 'deploy',
  command: 'deploy {{target}}',
  approval_required: true,
  args: [{ name: 'target', type: 'text', default: 'eu' }],
};
const GONE = '019a9f3e-2a40-7d11-8e0a-6b0c9d1e4f22';

let world: HubWorld;
let agent: ScriptedAgent;
let approvals: Approvals;
let env: Record<string, string>;
beforeAll(async () => {
  world = await hubWorld();
  agent = await world.agent({ endpoints: [HELD] });
  approvals = new Approvals(world);
  // The file that svc login stores (test/spec/login.test.ts).
  const config = join(world.dataDir, 'config');
  const { accessToken: access_token, username } = world.start;
  const login = { access_token, username, expires_at: '2027-01-01T00:00:00.000Z' };
  await Bun.write(join(config, 'svc', 'logins.json'), JSON.stringify({ [world.hub.baseUrl]: login }));
  env = { XDG_CONFIG_HOME: config, SVC_BASE_URL: world.hub.baseUrl, SVC_API_KEY: '' };
});
afterAll(() => world[Symbol.asyncDispose]());

const svc = (...args: string[]) => runSvc(args, { cwd: world.dataDir, env });

describe('svc approvals', () => {
  test('lists what waits, and approves it', async () => {
    expect(await svc('approvals')).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'no pending approvals\n',
    });
    const { approval_id: id, executionId } = await approvals.callForApproval('deploy?target=us%0Aeast');
    const listed = await svc('approvals');
    expect(listed.stdout).toContain(`${id}  deploy  pending, 30 min left\n  deploy us‹\\n›east\n`);
    const approved = await svc('approvals', 'approve', id, '--yes', '--comment', 'go');
    expect([approved.exitCode, approved.stdout]).toEqual([
      0,
      expect.stringMatching(/^deploy {2}approved by .+@.+: go\nfollow {2}svc logs /),
    ]);
    expect((await agent.receive('run')).execution_id).toBe(executionId);
    agent.end(executionId, 0);
    const decided = await svc('approvals', 'list', '--status', 'decided', '--json');
    expect(JSON.parse(decided.stdout.split('\n')[0] ?? '')).toMatchObject({
      approval_id: id,
      status: 'approved',
    });
  });

  test('denies, and says who was first when it comes too late', async () => {
    const { approval_id: id } = await approvals.callForApproval();
    expect((await svc('approvals', 'deny', id, '--yes')).stdout).toMatch(/^deploy {2}denied by /);
    const late = await svc('approvals', 'approve', id, '--yes');
    expect([late.exitCode, late.stderr]).toEqual([2, expect.stringMatching(/it was denied by .+@.+ at 20/)]);
  });

  test('shows the request, and decides nothing without a terminal', async () => {
    const { approval_id: id } = await approvals.callForApproval('deploy?target=us');
    const asked = await svc('approvals', 'approve', id);
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain('deploy us');
    expect(asked.stderr).toContain('--yes');
    expect(await approvals.approval(id)).toMatchObject({ status: 'pending_approval' });
  });

  test('says what is wrong with an id or a status that there is not', async () => {
    expect(await svc('approvals', 'deny', GONE, '--yes')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('there is no such approval'),
    });
    expect(await svc('approvals', 'list', '--status', 'maybe')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('status: one of'),
    });
  });
});

test('svc call says where it is approved, waits, and prints what then runs', async () => {
  const calling = startSvc(['call', 'deploy', 'target=us'], { cwd: world.dataDir, env });
  const stderr = new Lines(calling.stderr);
  const link = await stderr.find(/\/approve\//);
  const path = /\/approve\/\S+/.exec(link)?.[0] ?? '';
  await (await approvals.opened(path))('approve');
  await agent.answer('deployed\n');
  expect(await new Response(calling.stdout).text()).toBe('deployed\n');
  expect(await calling.exited).toBe(0);
});
