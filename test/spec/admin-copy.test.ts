// svc admin bootstrap, and svc admin copy: a SQLite hub moves to PostgreSQL. With the real program, hubs and a server.
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hubWorld } from '../hub-world.ts';
import { makePipeline } from '../pipelines.ts';
import { postgresMissing, startPostgres } from '../postgres.ts';
import { runSvc } from '../program.ts';
import { realAgent } from '../real-agent.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('svc admin bootstrap makes an account whose tokens work at once', async () => {
  await using world = await hubWorld();
  await using folder = await temporaryFolder();
  const env = { SVC_DATA_DIR: world.dataDir, SVC_BASE_URL: world.hub.baseUrl, XDG_CONFIG_HOME: folder.path };
  const bootstrap = (...more: string[]) =>
    runSvc(['admin', 'bootstrap', 'ada@example.com', '--username', 'ada', ...more], {
      cwd: folder.path,
      env,
    });
  const made = await bootstrap('--hub-url', world.hub.baseUrl, '--json');
  expect(made).toMatchObject({ exitCode: 0, stderr: '' });
  const { access_token, agent_token, api_key, sign_in_url } = JSON.parse(made.stdout);
  expect(await fetch(sign_in_url)).toMatchObject({ status: 200 });
  await using agent = await realAgent(world, [{ name: 'hello', command: 'echo hi' }], [], {
    SVC_TOKEN: agent_token,
  });
  expect(agent).toBeDefined();
  const call = await runSvc(['call', 'ada/hello'], {
    cwd: folder.path,
    env: { ...env, SVC_API_KEY: api_key },
  });
  expect(call).toMatchObject({ stdout: 'hi\n', stderr: '' });
  const member = { cwd: folder.path, env: { ...env, SVC_ACCESS_TOKEN: access_token } };
  expect((await runSvc(['context', 'show'], member)).stdout).toContain('ada@example.com');

  // Again: new tokens, in files for their owner alone, and never over an existing file.
  const written = await bootstrap('--write-to', '.');
  expect(written).toMatchObject({ exitCode: 0 });
  expect(written.stdout).toContain('sign-in-link\n');
  expect(written.stdout).not.toMatch(/svc_|https?:/);
  for (const [file, prefix] of Object.entries({
    'sign-in-link': 'http',
    'access-token': 'svc_pat_',
    'agent-token': 'svc_at_',
    'api-key': 'svc_sk_',
  })) {
    expect(readFileSync(join(folder.path, file), 'utf8')).toStartWith(prefix);
    expect(statSync(join(folder.path, file)).mode & 0o777).toBe(0o600);
  }
  expect((await bootstrap('--write-to', '.')).stderr).toBe('error  sign-in-link already exists\n');
});

test('svc admin bootstrap refuses an unfit username and that of another account, and changes nothing', async () => {
  await using world = await hubWorld();
  const env = { SVC_DATA_DIR: world.dataDir };
  const bootstrap = (username: string) =>
    runSvc(['admin', 'bootstrap', 'bo@example.com', '--username', username], { cwd: world.dataDir, env });
  const taken = await bootstrap(world.start.username);
  expect([taken.exitCode, taken.stderr]).toEqual([2, `error  "${world.start.username}" is taken\n`]);
  const unfit = await bootstrap('Bo Q');
  expect([unfit.exitCode, unfit.stderr]).toEqual([2, expect.stringContaining('username: 2 to 39')]);
  expect((await runSvc(['admin', 'users'], { cwd: world.dataDir, env })).stdout).not.toContain(
    'bo@example.com',
  );
});

test('svc admin copy takes no password on the command line', async () => {
  await using world = await hubWorld();
  for (const url of ['postgres://svc:hunter22@db/svc', 'postgres://svc@db/svc?password=hunter22']) {
    const { stderr, exitCode } = await runSvc(['admin', 'copy', '--to', url], {
      cwd: world.dataDir,
      env: { SVC_DATA_DIR: world.dataDir },
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('cannot be given on the command line')]);
    expect(stderr).not.toContain('hunter22');
  }
});

test.skipIf(postgresMissing !== undefined)(
  'svc admin copy moves a hub to PostgreSQL with its record, output, secrets, statistics and audit log',
  async () => {
    await using server = await startPostgres({ syncs: false });
    const url = await server.createDatabase();
    const env: Record<string, string> = {};
    await using world = await hubWorld({ env });
    const endpoints = [
      { name: 'hello', command: 'echo héllo {{name}}', args: [{ name: 'name' }] },
      { name: 'secret', command: 'printf %s "$svc:TOKEN" | wc -c' },
      { name: 'fails', command: 'sh -c "exit 3"' },
    ];
    const svc = async (...args: string[]) =>
      await runSvc(args, {
        cwd: world.dataDir,
        env: { SVC_BASE_URL: world.hub.baseUrl, SVC_ACCESS_TOKEN: world.start.accessToken },
      });
    await Bun.write(join(world.dataDir, 'value'), 'twelve chars');
    await svc('secrets', 'set', 'TOKEN', '@value');
    await using agent = await realAgent(world, endpoints);
    await makePipeline(world, {
      slug: 'chain',
      trigger: { type: 'manual' },
      nodes: [{ id: 'a', endpoint: 'hello', args: { name: 'x' } }],
    });
    await svc('call', 'hello', 'name=Ada');
    await svc('call', 'fails');
    await svc('call', 'chain');
    const admin = async (...args: string[]) =>
      await runSvc(['admin', ...args], { cwd: world.dataDir, env: { SVC_DATA_DIR: world.dataDir } });
    const running = await admin('copy', '--to', url);
    expect(running.exitCode).toBe(2);
    expect(running.stderr).toContain('another hub uses the data folder');

    const statistics = async () =>
      await (
        await world.manage('/executions/stats?from=2026-11-20T00:00:00Z&until=2026-11-21T00:00:00Z')
      ).json();
    const [id = ''] = (await svc('logs', '--endpoint', 'hello', '--limit', '1')).stdout.split(' ');
    expect(JSON.stringify(await statistics())).toContain('"succeeded":2');
    const before = {
      logs: (await svc('logs')).stdout,
      audit: (await svc('audit', '--limit', '500')).stdout,
      stats: await statistics(),
    };
    const move = async () => {
      const copied = await admin('copy', '--to', url, '--json');
      expect(copied.stderr).toBe('');
      const { rows, audit_logs } = JSON.parse(copied.stdout);
      expect([rows > 20, audit_logs]).toEqual([true, 1]);
      expect((await admin('copy', '--to', url)).stderr).toBe(
        'error  the PostgreSQL database has data already: give an empty one\n',
      );
      env.DATABASE_URL = url;
      env.SVC_MASTER_KEY = readFileSync(join(world.dataDir, 'master.key'), 'utf8').split('\n')[0] ?? '';
    };
    await agent.through(() => world.restart(move));
    expect((await svc('logs')).stdout).toBe(before.logs);
    // The restart adds entries of its own at the top.
    expect((await svc('audit', '--limit', '500')).stdout).toEndWith(before.audit);
    expect(await statistics()).toEqual(before.stats);
    expect((await svc('logs', id)).stdout).toContain('héllo ');
    expect((await svc('call', 'secret')).stdout).toBe('12\n');
    expect((await svc('call', 'chain')).stdout).toBe('a | héllo x\n');
  },
);

test.skipIf(postgresMissing !== undefined)(
  'svc admin copy refuses data whose audit log is broken, and leaves PostgreSQL empty',
  async () => {
    await using server = await startPostgres({ syncs: false });
    const url = await server.createDatabase();
    await using world = await hubWorld();
    await world.restart(async () => {
      using database = new Database(join(world.dataDir, 'svc.db'));
      database.run("update audit_entries set text = replace(text, 'api_key', 'xpi_key')");
      const { stderr, exitCode } = await runSvc(['admin', 'copy', '--to', url], {
        cwd: world.dataDir,
        env: { SVC_DATA_DIR: world.dataDir },
      });
      expect(exitCode).toBe(2);
      expect(stderr).toContain('is broken: see svc admin verify-audit');
    });
  },
);
