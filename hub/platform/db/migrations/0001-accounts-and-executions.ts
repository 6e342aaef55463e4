import { type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely';

/** The types that the two databases spell differently. */
export interface ColumnTypes {
  /** Compared byte by byte: the same order everywhere, and the one of UUIDs. */
  readonly text: RawBuilder<unknown>;
  readonly bytes: RawBuilder<unknown>;
  /** Ends the text of a table whose rows lie in the order of its key, where the database can: one tree less to write. */
  readonly clustered: RawBuilder<unknown>;
}

interface Schema {
  readonly builder: Kysely<unknown>['schema'];
  readonly types: ColumnTypes;
}

/**
 * Accounts, credentials, endpoints and the ledger of executions.
 *
 * NOTE: A migration is history: it says what it did in its own words and imports none that may change.
 */
export async function accountsAndExecutions(database: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const schema = { builder: database.schema, types };
  await createAccounts(schema);
  await createCredentials(schema);
  await createMail(schema);
  await createEndpoints(schema);
  await createExecutions(schema);
  await createOutput(schema);
  await createCounters(schema);
}

async function createAccounts(schema: Schema): Promise<void> {
  await table(schema, 'users', {
    id: KEY,
    email: 'text',
    email_key: 'text',
    created_at_ms: 'bigint',
  })
    .addUniqueConstraint('users_email_key', ['email_key'])
    .execute();
  await table(schema, 'workspaces', {
    id: KEY,
    username: 'text?',
    owner_id: 'text',
    plan: 'text',
    created_at_ms: 'bigint',
  })
    .addUniqueConstraint('workspaces_username', ['username'])
    .addForeignKeyConstraint('workspaces_owner', ['owner_id'], 'users', ['id'])
    .execute();
  // Every username that was ever chosen; the row outlives its workspace, so that none is given out again (decision 3, usernames).
  await table(schema, 'usernames', { username: KEY, workspace_id: 'text' }).execute();
  await table(schema, 'members', {
    workspace_id: 'text',
    user_id: 'text',
    role: 'text',
    epoch: 'bigint',
    joined_at_ms: 'bigint',
  })
    .addPrimaryKeyConstraint('members_key', ['workspace_id', 'user_id'])
    .addForeignKeyConstraint('members_workspace', ['workspace_id'], 'workspaces', ['id'])
    .addForeignKeyConstraint('members_user', ['user_id'], 'users', ['id'])
    .execute();
  await index(schema, 'members', ['user_id']);
}

async function createCredentials(schema: Schema): Promise<void> {
  const token = {
    id: KEY,
    workspace_id: 'text',
    created_by: 'text',
    name: 'text',
    hash: 'text',
    last4: 'text',
  } as const;
  await table(schema, 'api_keys', {
    ...token,
    endpoints: 'text?',
    created_at_ms: 'bigint',
    expires_at_ms: 'bigint?',
    revoked_at_ms: 'bigint?',
  })
    .addUniqueConstraint('api_keys_hash', ['hash'])
    .addForeignKeyConstraint('api_keys_workspace', ['workspace_id'], 'workspaces', ['id'])
    .execute();
  await index(schema, 'api_keys', ['workspace_id', 'id']);
  await table(schema, 'agent_tokens', {
    ...token,
    agent_name: 'text?',
    created_at_ms: 'bigint',
    revoked_at_ms: 'bigint?',
  })
    .addUniqueConstraint('agent_tokens_hash', ['hash'])
    .addForeignKeyConstraint('agent_tokens_workspace', ['workspace_id'], 'workspaces', ['id'])
    .execute();
  await index(schema, 'agent_tokens', ['workspace_id', 'id']);
  await table(schema, 'access_tokens', {
    id: KEY,
    kind: 'text',
    user_id: 'text',
    workspace_id: 'text?',
    hash: 'text',
    last4: 'text',
    created_at_ms: 'bigint',
    expires_at_ms: 'bigint',
    epoch: 'bigint',
  })
    .addUniqueConstraint('access_tokens_hash', ['hash'])
    .addForeignKeyConstraint('access_tokens_user', ['user_id'], 'users', ['id'])
    .addForeignKeyConstraint('access_tokens_workspace', ['workspace_id'], 'workspaces', ['id'])
    .execute();
  await index(schema, 'access_tokens', ['expires_at_ms']);
}

async function createMail(schema: Schema): Promise<void> {
  await table(schema, 'sign_in_links', {
    id: KEY,
    email: 'text',
    created_at_ms: 'bigint',
    expires_at_ms: 'bigint',
    used_at_ms: 'bigint?',
  }).execute();
  await index(schema, 'sign_in_links', ['expires_at_ms']);
  await table(schema, 'mails', {
    id: KEY,
    recipient: 'text',
    subject: 'text',
    body_text: 'text',
    body_html: 'text',
    created_at_ms: 'bigint',
    sent_at_ms: 'bigint?',
    next_at_ms: 'bigint',
    tries: 'bigint',
    error: 'text?',
  }).execute();
  await index(schema, 'mails', ['created_at_ms', 'id']);
  await schema.builder
    .createIndex('mails_due')
    .on('mails')
    .column('next_at_ms')
    .where(sql<boolean>`sent_at_ms is null`)
    .execute();
}

async function createEndpoints(schema: Schema): Promise<void> {
  await table(schema, 'endpoints', {
    id: KEY,
    workspace_id: 'text',
    slug: 'text',
    source: 'text',
    registered_by: 'text?',
    version: 'bigint',
    created_at_ms: 'bigint',
    updated_at_ms: 'bigint',
  })
    .addUniqueConstraint('endpoints_slug', ['workspace_id', 'slug'])
    .addForeignKeyConstraint('endpoints_workspace', ['workspace_id'], 'workspaces', ['id'])
    .execute();
  await table(schema, 'endpoint_versions', {
    endpoint_id: 'text',
    version: 'bigint',
    definition_hash: 'text',
    definition: 'text',
    created_at_ms: 'bigint',
  })
    .addPrimaryKeyConstraint('endpoint_versions_key', ['endpoint_id', 'version'])
    .execute();
}

/** NOTE: No foreign keys: it outlives its endpoint, and a look-up per insert in the hottest table would buy nothing. */
async function createExecutions(schema: Schema): Promise<void> {
  await table(schema, 'executions', {
    id: KEY,
    workspace_id: 'text',
    endpoint_id: 'text',
    slug: 'text',
    definition_hash: 'text',
    state: 'text',
    reason: 'text?',
    trigger: 'text',
    caller_kind: 'text',
    caller_id: 'text?',
    args: 'text',
    agent_name: 'text?',
    agent_instance: 'text?',
    agent_boot: 'text?',
    hub_id: 'text',
    asynchronous: 'bigint',
    timeout_sec: 'bigint',
    created_at_ms: 'bigint',
    read_token_hash: 'text?',
    started_at_ms: 'bigint?',
    ended_at_ms: 'bigint?',
    exit_code: 'bigint?',
    duration_ms: 'bigint?',
    error: 'text?',
    error_code: 'text?',
    data: 'text?',
    late: 'bigint',
    stored_bytes: 'bigint',
    last_seq: 'bigint',
  })
    .modifyEnd(schema.types.clustered)
    .execute();
  await index(schema, 'executions', ['workspace_id', 'id']);
  await index(schema, 'executions', ['workspace_id', 'slug', 'id']);
  await index(schema, 'executions', ['workspace_id', 'caller_id', 'id']);
  // Of the states only these are rare enough to need an index: a call that goes well is written to as few as can be.
  await schema.builder
    .createIndex('executions_unhappy')
    .on('executions')
    .columns(['workspace_id', 'state', 'id'])
    .where(sql<boolean>`state not in ('queued', 'running', 'succeeded')`)
    .execute();
  await schema.builder
    .createIndex('executions_unfinished')
    .on('executions')
    .columns(['workspace_id', 'id'])
    .where(sql<boolean>`state in ('queued', 'running')`)
    .execute();
}

async function createOutput(schema: Schema): Promise<void> {
  await table(schema, 'output_chunks', {
    execution_id: 'text',
    seq: 'bigint',
    sse: 'bytes',
    endings: 'text?',
  })
    .addPrimaryKeyConstraint('output_chunks_key', ['execution_id', 'seq'])
    .modifyEnd(schema.types.clustered)
    .execute();
}

async function createCounters(schema: Schema): Promise<void> {
  await table(schema, 'idempotency', {
    endpoint_id: 'text',
    credential: 'text',
    key: 'text',
    execution_id: 'text',
    request_hash: 'text',
    expires_at_ms: 'bigint',
  })
    .addPrimaryKeyConstraint('idempotency_key', ['endpoint_id', 'credential', 'key'])
    .execute();
  await index(schema, 'idempotency', ['expires_at_ms']);
  await table(schema, 'quota', { workspace_id: 'text', period: 'text', used: 'bigint' })
    .addPrimaryKeyConstraint('quota_key', ['workspace_id', 'period'])
    .modifyEnd(schema.types.clustered)
    .execute();
  await table(schema, 'hubs', { id: KEY, beat_at_ms: 'bigint' }).execute();
  await table(schema, 'write_probe', { id: 'bigint', ballast: 'bytes' })
    .addPrimaryKeyConstraint('write_probe_key', ['id'])
    .execute();
}

const KEY = 'text key';
type Column = typeof KEY | 'text' | 'text?' | 'bigint' | 'bigint?' | 'bytes';

function table(
  { builder, types }: Schema,
  name: string,
  columns: Record<string, Column>,
): CreateTableBuilder<string, string> {
  const all = { bigint: sql`bigint`, ...types };
  return Object.entries(columns).reduce((built, [column, kind]) => {
    const type = all[kind.replace(/\W.*/, '') as keyof typeof all];
    return built.addColumn(column, type, (it) => {
      const required = kind.endsWith('?') ? it : it.notNull();
      return kind === KEY ? required.primaryKey() : required;
    });
  }, builder.createTable(name));
}

async function index({ builder }: Schema, on: string, columns: readonly string[]): Promise<void> {
  await builder
    .createIndex(`${on}_by_${columns.join('_')}`)
    .on(on)
    .columns([...columns])
    .execute();
}
