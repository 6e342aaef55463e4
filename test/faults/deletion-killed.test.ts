// A hub that dies in the middle of the deletion of a workspace continues it (decision 3, usernames).
import type { Database } from 'bun:sqlite';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { lockedRow } from '../held-row.ts';
import { openHubFile } from '../hub-file.ts';
import { HubProgram } from '../hub-program.ts';
import { runSvc } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(120_000);

const EXECUTIONS = 6_000;

/** As if it had run for long; answers the last execution. */
function fill(database: Database): string {
  const [workspace] = database.query<{ id: string }, []>('select id from workspaces').all();
  const columns = `id, workspace_id, endpoint_id, slug, definition_hash, state, trigger, caller_kind, args, hub_id,
    asynchronous, timeout_sec, created_at_ms, late, stored_bytes, last_seq`;
  const add = database.prepare(
    `insert into executions (${columns}) values (?, ?, 'e', 's', 'h', 'succeeded', 'call', 'anonymous', '{}', 'x', 0, 60, 0, 0, 0, 3)`,
  );
  const output = database.prepare('insert into output_chunks values (?, ?, ?, null)');
  let id = '';
  database.transaction(() => {
    for (let n = 0; n < EXECUTIONS; n += 1) {
      id = Bun.randomUUIDv7();
      add.run(id, workspace?.id ?? '');
      for (let seq = 1; seq <= 3; seq += 1) output.run(id, seq, new Uint8Array(200));
    }
  })();
  return id;
}

function left({ dataDir }: HubProgram) {
  using database = openHubFile(dataDir);
  const count = (table: string) =>
    database.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n ?? -1;
  return {
    executions: count('executions'),
    workspaces: count('workspaces'),
    output: count('output_chunks'),
    keys: count('api_keys'),
  };
}

/** The session of the hub's own account: by a link from the machine of the hub. */
async function accessToken(hub: HubProgram): Promise<string> {
  const args = ['admin', 'sign-in-link', 'operator@localhost', '--hub-url', hub.url];
  const { stdout } = await runSvc(args, { cwd: hub.dataDir, env: { SVC_DATA_DIR: hub.dataDir } });
  const answer = await fetch(`${hub.url}/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: stdout.trim().split('/').at(-1) }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

test('a deletion that kill -9 interrupts is over soon after the next start', async () => {
  await using folder = await temporaryFolder();
  await using hub = await HubProgram.make(folder.path);
  using database = openHubFile(hub.dataDir);
  const last = fill(database);
  await hub.start();
  const letGo = lockedRow(database, `before delete on executions when old.id = '${last}'`);
  const deleted = await fetch(`${hub.url}/workspace/deletion`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await accessToken(hub)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'local' }),
  });
  expect(deleted.status).toBe(204);
  // In the middle: some of it is gone, and not all.
  while (left(hub).executions === EXECUTIONS) await new Promise((resolve) => setImmediate(resolve));
  await hub.kill();
  letGo();
  const between = left(hub);
  expect(between.executions).toBeGreaterThan(0);
  expect(between.workspaces).toBe(1);
  await hub.start();
  expect((await hub.ask('/executions')).status).toBe(401);
  while (left(hub).workspaces > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(left(hub)).toEqual({ executions: 0, workspaces: 0, output: 0, keys: 0 });
});
