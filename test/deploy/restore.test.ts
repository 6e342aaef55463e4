// The backups of docs/operate/operating.md, restored: what was called is on record, what is secret can be read, what is audited holds.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type PostgresServer, postgresMissing, postgresProgram, startPostgres } from '../postgres.ts';
import { runSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(120_000);

const ENDPOINTS = [{ name: 'use', command: 'use $svc:TOKEN' }];
const SECRET = 'what only the command may see';
const OUTPUT = 'printed before the backup\n';

type Environment = Readonly<Record<string, string>>;

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Calls the endpoint, whose command prints; answers the id of the execution and the secret that the command was given. */
async function call(world: HubWorld, apiKey = world.start.apiKey) {
  await using agent = await world.agent({ endpoints: ENDPOINTS });
  const calling = world.call('use', { headers: { 'x-api-key': apiKey } });
  const refused = calling.then(async (answer) => {
    throw new Error(`answered before the agent was asked: ${await answer.text()}`);
  });
  const { execution_id: id, secrets } = await Promise.race([agent.receive('run'), refused]);
  agent.output(id, 1, OUTPUT);
  agent.end(id, 1);
  refused.catch(() => {});
  expect((await calling).status).toBe(200);
  return { id, secret: secrets?.TOKEN };
}

/** A hub with an execution and a secret, and what identifies them when it has gone. */
async function seed(env: Environment, backup: () => Promise<void>) {
  await using world = await hubWorld({ env });
  const set = await world.manage('/secrets/TOKEN', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value: SECRET }),
  });
  expect(set.status).toBe(204);
  const made = await call(world);
  expect(made.secret).toBe(SECRET);
  // While it runs.
  await backup();
  return { apiKey: world.start.apiKey, ...made };
}

async function expectRestored(env: Environment, { apiKey, id }: { apiKey: string; id: string }) {
  await using world = await hubWorld({ env });
  const output = await fetch(`${world.hub.hubUrl}/executions/${id}/output`, {
    headers: { 'x-api-key': apiKey },
  });
  expect([output.status, await output.text()]).toEqual([200, OUTPUT]);
  expect((await call(world, apiKey)).secret).toBe(SECRET);
  const verified = await runSvc(['admin', 'verify-audit'], { cwd: folder.path, env });
  expect(verified).toMatchObject({ exitCode: 0, stderr: '' });
}

test('of SQLite: svc admin backup, and the two files in an empty folder', async () => {
  const [data, restored] = [join(folder.path, 'data'), join(folder.path, 'restored')];
  const copy = join(folder.path, 'svc.db');
  const seeded = await seed({ SVC_DATA_DIR: data }, async () => {
    const made = await runSvc(['admin', 'backup', copy], { cwd: folder.path, env: { SVC_DATA_DIR: data } });
    expect(made).toMatchObject({ exitCode: 0, stderr: '' });
  });
  mkdirSync(restored, { mode: 0o700 });
  copyFileSync(copy, join(restored, 'svc.db'));
  copyFileSync(join(data, 'master.key'), join(restored, 'master.key'));
  await expectRestored({ SVC_DATA_DIR: restored }, seeded);
});

describe.skipIf(postgresMissing !== undefined)(
  `PostgreSQL${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  () => {
    let postgres: PostgresServer;
    beforeAll(async () => {
      postgres = await startPostgres({ syncs: false });
    });
    afterAll(() => postgres?.[Symbol.asyncDispose]());

    test('pg_dump, and pg_restore into an empty database, with the same master key', async () => {
      const env = (url: string, key: string) => ({
        SVC_DATA_DIR: join(folder.path, crypto.randomUUID()),
        DATABASE_URL: url,
        SVC_MASTER_KEY: key,
      });
      const key = randomBytes(32).toHex();
      const [from, to] = [await postgres.createDatabase(), await postgres.createDatabase()];
      const dump = join(folder.path, 'svc.dump');
      const seeded = await seed(env(from, key), () =>
        run('pg_dump', '--format=custom', `--file=${dump}`, from),
      );
      await run('pg_restore', '--exit-on-error', '--no-owner', `--dbname=${to}`, dump);
      await expectRestored(env(to, key), seeded);
    });
  },
);

async function run(name: string, ...args: string[]): Promise<void> {
  const child = Bun.spawn([postgresProgram(name), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env },
  });
  const stderr = await new Response(child.stderr).text();
  expect([await child.exited, stderr]).toEqual([0, '']);
}
