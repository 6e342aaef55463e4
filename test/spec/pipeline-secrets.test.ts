// The input of a run is sealed; values for secret arguments are deleted when the run has ended (decisions 9, 13, 26).
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineRuns } from '../engine-runs.ts';
import { openHubFile } from '../hub-file.ts';
import { makePipeline, postOf } from '../pipelines.ts';
import { fromGitHub } from '../webhooks.ts';

const TOKEN = 'horse-battery-staple';
const NOTE = 'seldom-read-margin';
const VARIABLE = 'walnut-in-the-environment';

const ENDPOINTS = [
  { name: 'deploy', command: 'true', args: [{ name: 'token', secret: true }, { name: 'ref' }] },
  { name: 'tell', command: 'true', accepts_env: ['HINT', 'NOTE'] },
];
const SCHEMA = [
  { name: 'ref', type: 'string' },
  { name: 'token', type: 'string' },
  { name: 'note', type: 'string' },
];
const DEPLOY = {
  id: 'deploy',
  endpoint: 'deploy',
  args: { ref: '{input.ref}', token: 'Bearer {input.token}' },
};

let runs: EngineRuns;
beforeEach(async () => {
  runs = await EngineRuns.make(ENDPOINTS);
  await makePipeline(runs.world, {
    slug: 'release',
    trigger: { type: 'webhook', input_schema: SCHEMA },
    nodes: [
      { id: 'build', endpoint: 'tell', env: { HINT: VARIABLE, NOTE: '{input.note}' } },
      { ...DEPLOY, needs: ['build'] },
    ],
  });
});
afterEach(() => runs[Symbol.asyncDispose]());

/** Which of these words any file of the hub, its log or an answer about the run contains. */
async function found(id: string, words: readonly string[]): Promise<string[]> {
  const answer = await (await runs.world.manage(`/pipeline-runs/${id}`)).text();
  const listed = await (await runs.world.manage('/executions')).text();
  const { dataDir, logLines } = runs.world;
  const files = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name)));
  const texts = [answer, listed, logLines.join(''), ...files];
  return words.filter((word) => texts.some((text) => text.includes(word)));
}

function row<Row>(sql: string, id: string): Row {
  using database = openHubFile(runs.world.dataDir, { readonly: true });
  return database.query(sql).get(id) as Row;
}

function hasSecrets(id: string): boolean {
  const sql = 'select sealed_secrets as sealed from pipeline_run_inputs where run_id = ?';
  return row<{ sealed: string | null }>(sql, id).sealed !== null;
}

const rerun = (id: string, body: object) => runs.world.manage(`/pipeline-runs/${id}/rerun`, postOf(body));

describe('the input of a run', () => {
  test('reaches the steps, and is in no file of the hub in plain text; a field of a secret argument is never shown', async () => {
    const id = await runs.start('release', { ref: 'main', token: TOKEN, note: NOTE });
    expect((await runs.show(id)).input).toEqual({ ref: 'main', token: null, note: NOTE });
    expect((await runs.play('build')).env).toEqual({ HINT: VARIABLE, NOTE });
    const { args } = await runs.play('deploy');
    expect(args).toEqual({ ref: 'main', token: `Bearer ${TOKEN}` });
    expect((await runs.ended(id)).status).toBe('succeeded');
    // The search would find it: the other argument is there, and so is the text of the pipeline.
    expect(await found(id, [TOKEN, '"ref":"main"', VARIABLE])).toEqual(['"ref":"main"', VARIABLE]);
    using database = openHubFile(runs.world.dataDir, { readonly: true });
    const stored = database
      .query("select group_concat(step_env || args || coalesce(sealed_args, '')) as text from executions")
      .get() as { text: string };
    expect([stored.text.includes(NOTE), stored.text.includes(VARIABLE)]).toEqual([false, false]);
    expect(stored.text).toContain('"HINT":null');
  });

  test('loses its secret fields when the run has ended, and a rerun needs them again, and no others', async () => {
    const id = await runs.start('release', { ref: 'main', token: TOKEN });
    await runs.play('build');
    const order = await runs.ordered('deploy');
    expect(hasSecrets(id)).toBe(true);
    runs.agent.end(order.execution_id, 0, { kind: 'exited', exit_code: 1, duration_ms: 1 });
    expect((await runs.ended(id)).status).toBe('failed');
    expect(hasSecrets(id)).toBe(false);
    for (const [body, path, message] of [
      [{}, 'input.token', 'give it again'],
      [{ input: { token: TOKEN, ref: 'other' } }, 'input.ref', 'cannot be another'],
      [{ input: { token: 7 } }, 'input.token', 'a string expected'],
    ] as const) {
      const refused = await rerun(id, body);
      expect(refused.status).toBe(400);
      const { details } = (await refused.json()) as {
        details: { fields: { path: string; message: string }[] };
      };
      expect(JSON.stringify(details)).toContain(path);
      expect(JSON.stringify(details)).toContain(message);
    }
    const again = (await (await rerun(id, { input: { token: 'another' } })).json()) as { run_id: string };
    expect((await runs.play('deploy')).args).toEqual({ ref: 'main', token: 'Bearer another' });
    expect((await runs.ended(again.run_id)).status).toBe('succeeded');
  });

  test('is still there for later steps after the hub was restarted', async () => {
    const id = await runs.start('release', { ref: 'main', token: TOKEN, note: NOTE });
    const { execution_id } = await runs.ordered('build');
    await runs.world.restart();
    const inFlight = [{ execution_id, last_seq: 0, ended: false }];
    runs.agent = await runs.world.agent({ endpoints: ENDPOINTS, inFlight });
    runs.agent.end(execution_id, 0);
    expect((await runs.play('deploy')).args).toEqual({ ref: 'main', token: `Bearer ${TOKEN}` });
    expect((await runs.ended(id)).status).toBe('succeeded');
  });

  test('that a hub of the version before has stored is read, and its run continues', async () => {
    const id = await runs.start('release', { ref: 'main', token: TOKEN });
    const { execution_id } = await runs.ordered('build');
    await runs.world.restart(async () => {
      using database = openHubFile(runs.world.dataDir);
      database.run(
        `update pipeline_run_inputs set input = '{"ref":"old","token":"plain"}', sealed_input = null,
         sealed_secrets = null where run_id = '${id}'`,
      );
      database.run(`update executions set step_env = '{"HINT":"plain"}', sealed_args = null`);
    });
    // It got no order: what it gets now comes from the record.
    runs.agent = await runs.world.agent({ endpoints: ENDPOINTS });
    const order = await runs.ordered('build');
    expect([order.execution_id, order.env]).toEqual([execution_id, { HINT: 'plain' }]);
    runs.agent.end(execution_id, 0);
    expect((await runs.play('deploy')).args).toEqual({ ref: 'old', token: 'Bearer plain' });
    expect((await runs.ended(id)).input).toEqual({ ref: 'old', token: 'plain' });
  });

  test('that cannot be opened with the keys of the hub keeps its run waiting, and no hub from starting', async () => {
    const id = await runs.start('release', { ref: 'main', token: TOKEN });
    const { execution_id } = await runs.ordered('build');
    const keyPath = join(runs.world.dataDir, 'master.key');
    const key = await Bun.file(keyPath).text();
    await runs.world.restart(() => Bun.write(keyPath, `${'5'.repeat(64)}\n`).then(() => undefined));
    const shown = await runs.show(id);
    expect(shown.status).toBe('running');
    expect(shown.input).toBeUndefined();
    await runs.world.restart(() => Bun.write(keyPath, key).then(() => undefined));
    const inFlight = [{ execution_id, last_seq: 0, ended: false }];
    runs.agent = await runs.world.agent({ endpoints: ENDPOINTS, inFlight });
    runs.agent.end(execution_id, 0);
    await runs.play('deploy');
    expect((await runs.ended(id)).status).toBe('succeeded');
  });
});

describe('the variables of a step', () => {
  test('go with an order that is sent again, and are erased when the agent has it', async () => {
    const id = await runs.start('release', { note: NOTE });
    await runs.ordered('build');
    await runs.agent.vanish();
    runs.agent = await runs.world.agent({ endpoints: ENDPOINTS });
    const order = await runs.ordered('build');
    expect(order.env).toEqual({ HINT: VARIABLE, NOTE });
    runs.agent.output(order.execution_id, 1, 'x\n');
    await runs.agent.receive('ack', ({ seq }) => seq === 1);
    const sql = 'select sealed_args as sealed from executions where id = ?';
    expect(row<{ sealed: string | null }>(sql, order.execution_id).sealed).toBe(null);
    await runs.cancel(id);
  });
});

test('a signed call is not kept where it says what a secret argument is to be', async () => {
  const signed = (slug: string, node: object) => ({
    slug,
    trigger: { type: 'webhook', secret: 'signing', input_schema: SCHEMA },
    nodes: [node],
  });
  await makePipeline(runs.world, signed('open', { id: 'tell', endpoint: 'tell' }));
  await makePipeline(runs.world, signed('closed', DEPLOY));
  const kept = async (slug: string) => {
    const body = JSON.stringify({ ref: 'main', token: TOKEN });
    const called = await fetch(runs.world.urlOf(slug), fromGitHub('signing', body));
    const { run_id: id } = (await called.json()) as { run_id: string };
    return (await runs.world.manage(`/pipeline-runs/${id}/request`)).status;
  };
  expect([await kept('open'), await kept('closed')]).toEqual([200, 404]);
});
