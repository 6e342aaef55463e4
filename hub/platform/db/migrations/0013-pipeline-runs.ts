import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

type Type = ReturnType<typeof sql>;

/**
 * Pipeline runs, what became of each node of them, and of each execution the step that it is (decision 24, states and takeover;
 * decision 41, pipeline runs).
 */
export async function pipelineRuns(database: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const text = types.text as Type;
  await createRuns(database, text);
  await createNodes(database, text);
  await addSteps(database, text);
}

async function createRuns({ schema }: Kysely<unknown>, text: Type): Promise<void> {
  await schema
    .createTable('pipeline_runs')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('pipeline_id', text, (it) => it.notNull())
    .addColumn('pipeline_version', 'bigint', (it) => it.notNull())
    .addColumn('slug', text, (it) => it.notNull())
    .addColumn('trigger', text, (it) => it.notNull())
    .addColumn('caller_kind', text, (it) => it.notNull())
    .addColumn('caller_id', text)
    .addColumn('rerun_of', text)
    .addColumn('read_token_hash', text)
    .addColumn('hub_id', text, (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('cancel_asked_at_ms', 'bigint')
    .addColumn('state', text, (it) => it.notNull())
    .addColumn('revision', 'bigint', (it) => it.notNull())
    .addColumn('stopping', text)
    .addColumn('stopped_by', text)
    .addColumn('open_nodes', 'bigint', (it) => it.notNull())
    .addColumn('active_nodes', 'bigint', (it) => it.notNull())
    .addColumn('waiting_nodes', 'bigint', (it) => it.notNull())
    .addColumn('started_at_ms', 'bigint')
    .addColumn('ended_at_ms', 'bigint')
    .execute();
  const index = (name: string, columns: readonly string[]) =>
    schema
      .createIndex(`pipeline_runs_by_${name}`)
      .on('pipeline_runs')
      .columns([...columns])
      .execute();
  await index('workspace', ['workspace_id', 'id']);
  await index('slug', ['workspace_id', 'slug', 'id']);
  await index('caller', ['workspace_id', 'caller_id', 'id']);
  await index('state', ['workspace_id', 'state', 'id']);
  // Few of all: what a hub goes on with.
  await schema
    .createIndex('pipeline_runs_unfinished')
    .on('pipeline_runs')
    .columns(['hub_id', 'id'])
    .where(sql<boolean>`state in ('queued', 'running', 'waiting_approval')`)
    .execute();
  // Apart from the rest, which is written with every change: it may be a megabyte.
  await schema
    .createTable('pipeline_run_inputs')
    .addColumn('run_id', text, (it) => it.notNull().primaryKey())
    .addColumn('input', text, (it) => it.notNull())
    .addColumn('sealed_request', text)
    .execute();
}

async function createNodes({ schema }: Kysely<unknown>, text: Type): Promise<void> {
  await schema
    .createTable('pipeline_nodes')
    .addColumn('run_id', text, (it) => it.notNull())
    .addColumn('node', text, (it) => it.notNull())
    // That of the run when it changed last.
    .addColumn('revision', 'bigint', (it) => it.notNull())
    .addColumn('state', text, (it) => it.notNull())
    .addColumn('attempt', 'bigint', (it) => it.notNull())
    // 1 while its execution has not ended, as far as the run knows.
    .addColumn('awaits', 'bigint', (it) => it.notNull())
    .addColumn('record', text, (it) => it.notNull())
    .addPrimaryKeyConstraint('pipeline_nodes_key', ['run_id', 'node'])
    .execute();
  await schema
    .createIndex('pipeline_nodes_by_revision')
    .on('pipeline_nodes')
    .columns(['run_id', 'revision'])
    .execute();
  await schema
    .createIndex('pipeline_nodes_awaiting')
    .on('pipeline_nodes')
    .columns(['run_id'])
    .where(sql<boolean>`awaits = 1`)
    .execute();
}

async function addSteps({ schema }: Kysely<unknown>, text: Type): Promise<void> {
  await schema.alterTable('executions').addColumn('run_id', text).execute();
  await schema.alterTable('executions').addColumn('step', text).execute();
  await schema.alterTable('executions').addColumn('attempt', sql`bigint`).execute();
  // JSON of the variables that the step sets, and the agent that it names.
  await schema.alterTable('executions').addColumn('step_env', text).execute();
  await schema.alterTable('executions').addColumn('step_agent', text).execute();
  // Once, whatever restarts and however many hubs there are.
  await schema
    .createIndex('executions_steps')
    .unique()
    .on('executions')
    .columns(['run_id', 'step', 'attempt'])
    .where(sql<boolean>`run_id is not null`)
    .execute();
}
