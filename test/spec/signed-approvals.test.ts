import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ApprovalKey } from '@svc/cli/approvals/approval-key';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { MovableClock } from '../movable-clock.ts';
import { runSvc } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

let world: HubWorld;
let approvals: Approvals;
let home: TemporaryFolder;
let key: string;
let agent: RealAgent;
beforeEach(async () => {
  // Approvers and agents have clocks of their own: that of the hub is not far from them.
  home = await temporaryFolder();
  const env = { SVC_RATE_LIMITS: 'off', SVC_ARTIFACTS_DIR: join(home.path, 'artifacts') };
  world = await hubWorld({ env, clock: new MovableClock(Date.now()) });
  approvals = new Approvals(world);
  const { stdout } = await runSvc(['approvals', 'key'], { cwd: home.path, env: await signedIn('config') });
  key = stdout.trim();
  agent = await realAgent(
    world,
    [
      {
        name: 'deploy',
        command: 'echo to {{to}}',
        args: [{ name: 'to', choices: ['eu', 'us'] }],
        approval_required: true,
        approver_keys: [key],
      },
      {
        name: 'load',
        command: 'cat',
        stdin: 'body',
        approval_required: true,
        approver_keys: [key],
      },
      { name: 'gated', command: 'echo gated', approval_required: true },
    ],
    ['--local-only'],
  );
});
afterEach(async () => {
  await agent[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

function environment(config = 'config') {
  return { XDG_CONFIG_HOME: join(home.path, config), SVC_BASE_URL: world.hub.baseUrl };
}

/** The file that svc login stores (test/spec/login.test.ts). */
async function signedIn(config: string): Promise<Record<string, string>> {
  const { accessToken: access_token, username } = world.start;
  const login = { access_token, username, expires_at: '2027-01-01T00:00:00.000Z' };
  const path = join(home.path, config, 'svc', 'logins.json');
  await Bun.write(path, JSON.stringify({ [world.hub.baseUrl]: login }));
  return environment(config);
}

function approve(id: string) {
  return runSvc(['approvals', 'approve', id, '--yes'], { cwd: home.path, env: environment() });
}

async function ended(executionId: string) {
  const response = await world.manage(`/executions/${executionId}/stream`);
  await response.text();
  return await approvals.execution(executionId);
}

describe('an endpoint with approver_keys', () => {
  test('runs on an agent that trusts no hub when svc approvals approve has signed', async () => {
    const { approval_id: id, executionId } = await approvals.callForApproval('deploy?to=eu');
    const { exitCode, stdout, stderr } = await approve(id);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain('approved');
    expect(await ended(executionId)).toMatchObject({ status: 'succeeded', output: 'to eu\n' });
    const audit = await (await world.manage('/audit')).text();
    expect(audit).toContain(key);
  });

  test('signs the digest of the body that waits', async () => {
    const { approval_id: id, executionId } = await approvals.callForApproval('load', {
      method: 'POST',
      body: 'signed body',
    });
    const { exitCode, stderr } = await approve(id);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(await ended(executionId)).toMatchObject({ status: 'succeeded', output: 'signed body' });
  });

  test('is approved by no decision without a signature, in the API, on the page, and both say what to do', async () => {
    const { approval_id: id, path } = await approvals.callForApproval('deploy?to=eu');
    const received = `svc approvals approve ${id}`;
    const refused = await approvals.decide(id, 'approve');
    expect([refused.status, refused.body.details]).toEqual([403, { reason: 'signature_needed' }]);
    expect(String(refused.body.error)).toContain(received);
    const page = await approvals.page(path);
    expect(page.text).toContain(`accepts only signed approvals. Run: <code>${received}`);
    expect(page.text).not.toContain('value="approve"');
    const answered = await (await approvals.opened(path))('approve');
    expect(answered.status).toBe(401);
    expect(await approvals.approval(id)).toMatchObject({
      status: 'pending_approval',
      to_sign: { args: { to: 'eu' }, keys: [key], agent: 'default' },
    });
    expect((await approvals.decide(id, 'deny')).status).toBe(200);
  });

  test('takes no signature of other values, nor of a key that the file does not list', async () => {
    const { approval_id: id, executionId } = await approvals.callForApproval('deploy?to=eu');
    const { to_sign: toSign } = (await approvals.approval(id)) as {
      to_sign: { definition_hash: string; agent: string; requested_by: string };
    };
    const about = {
      executionId,
      slug: 'deploy',
      definitionHash: toSign.definition_hash,
      agent: toSign.agent,
      requestedBy: toSign.requested_by,
      validUntilMs: Date.now() + 60_000,
    };
    const own = ApprovalKey.read(environment());
    const other = ApprovalKey.readOrMake({ XDG_CONFIG_HOME: join(home.path, 'other') });
    for (const signed of [
      own.sign({ ...about, args: { to: 'us' } }),
      own.sign({ ...about, args: { to: 'eu' }, executionId: crypto.randomUUID() }),
      other.sign({ ...about, args: { to: 'eu' } }),
    ]) {
      const body = JSON.stringify({ decision: 'approve', signed });
      const headers = { 'content-type': 'application/json' };
      const response = await world.manage(`/approvals/${id}/decide`, { method: 'POST', headers, body });
      expect([response.status, await response.json()]).toMatchObject([
        403,
        { details: { reason: 'bad_signature' } },
      ]);
    }
    expect((await approvals.approval(id)).status).toBe('pending_approval');
  });

  test('is not approved without a key, or with another one', async () => {
    const { approval_id: id } = await approvals.callForApproval('deploy?to=eu');
    const stranger = await signedIn('stranger');
    const without = await runSvc(['approvals', 'approve', id, '--yes'], { cwd: home.path, env: stranger });
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('svc approvals key')]);
    await runSvc(['approvals', 'key'], { cwd: home.path, env: stranger });
    const another = await runSvc(['approvals', 'approve', id, '--yes'], { cwd: home.path, env: stranger });
    expect([another.exitCode, another.stderr]).toEqual([
      2,
      expect.stringContaining('does not list your key'),
    ]);
  });

  test('keeps its keys: the API takes none away', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const change of [{ approver_keys: null }, { approver_keys: [`ed25519:${'A'.repeat(43)}`] }]) {
      const body = JSON.stringify(change);
      const response = await world.manage('/endpoints/deploy', { method: 'PATCH', headers, body });
      expect([response.status, await response.json()]).toMatchObject([409, { code: 'managed_by_config' }]);
    }
  });
});

test('a gated endpoint without keys is refused by an agent that trusts no hub, with a notice at its start', async () => {
  expect(await agent.stdout.find(/"gated" needs approval and will be refused/)).toContain(
    '--accept-approvals-of-hub',
  );
  const { approval_id: id, executionId } = await approvals.callForApproval('gated');
  expect((await approvals.decide(id, 'approve')).status).toBe(200);
  expect(await ended(executionId)).toMatchObject({
    code: 'agent_refused',
    error: expect.stringContaining('approver_keys'),
  });
});

test('the key of an approver stays the same, and is for its owner alone', async () => {
  const again = await runSvc(['approvals', 'key', '--json'], { cwd: home.path, env: environment() });
  expect(JSON.parse(again.stdout)).toEqual({ public_key: key });
  expect(statSync(ApprovalKey.pathIn(environment())).mode & 0o777).toBe(0o600);
});
