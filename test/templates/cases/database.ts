import { expect } from 'bun:test';
import type { TemplateCases } from '../template-case.ts';

const BACKUPS = { BACKUP_DIR: 'FOLDER/backups' };
const SQLITE = { DATABASE: 'FOLDER/app.db', ...BACKUPS };

export const DATABASE: TemplateCases = {
  'pg-backup': [
    {
      env: BACKUPS,
      // The stub prints the password, as a program under --verbose might: it is masked.
      output: /^pg_dump: connected with \*\*\*\n-rw-------.* FOLDER\/backups\/app-\d{8}T\d{6}Z\.dump\n$/,
      after: 'cd backups && [ "$(cat app-*.dump)" = PGDMP ] && [ -z "$(find . -name "*.part")" ]',
    },
  ],
  'pg-backups': [
    {
      env: BACKUPS,
      before: 'mkdir backups && head -c 5000 /dev/zero > backups/app-1.dump',
      data: [{ file: 'app-1.dump', kib: expect.any(Number) }],
    },
  ],
  'pg-activity': [
    {
      data: [
        {
          pid: 4711,
          user: 'app',
          database: 'app',
          state: 'active',
          seconds: 12.5,
          waits_for: '',
          query: 'select "a", 1',
        },
      ],
    },
  ],
  'pg-cancel': [{ args: { pid: '4711' }, data: [{ pid: '4711', cancelled: 't', query: 'select 1' }] }],
  'pg-slow-queries': [
    { args: { by: 'mean' }, data: [{ calls: 3, total_ms: 30.6, mean_ms: 10.2, rows: 3, query: 'select 1' }] },
  ],
  'pg-tables': [
    {
      data: [
        {
          table: 'public.orders',
          bytes: 8192,
          index_bytes: 4096,
          rows: 10,
          dead_rows: 2,
          last_autovacuum: '',
        },
      ],
    },
  ],
  'pg-connections': [{ data: [{ state: 'idle', connections: 7, allowed: 100 }] }],
  'mysql-backup': [
    {
      env: BACKUPS,
      output: /^-rw-------.* FOLDER\/backups\/app-\d{8}T\d{6}Z\.sql\.gz\n$/,
      after:
        'cd backups && [ "$(gzip -dc app-*.sql.gz)" = "create table a (b int);" ] && [ "$(ls | wc -l)" -eq 1 ]',
    },
  ],
  'mysql-processes': [
    { data: [expect.objectContaining({ id: 42, time: 7, state: 'Sending data', query: 'select 1' })] },
  ],
  'mysql-kill': [{ args: { id: '42' }, output: 'ended 42\n' }],
  'sqlite-backup': [
    {
      env: SQLITE,
      before: 'echo ok > app.db',
      output: /^FOLDER\/backups\/app\.db-\d{8}T\d{6}Z: ok\n$/,
      after: 'cmp app.db backups/app.db-*',
    },
    { env: SQLITE, before: 'echo "row 7 missing" > app.db', exitCode: 1, output: /: row 7 missing\n$/ },
    { env: SQLITE, exitCode: 1, output: /app\.db/ },
  ],
  'sqlite-tables': [
    { env: SQLITE, data: [{ type: 'table', name: 'orders', sql: 'create table orders (id, note)' }] },
  ],
  'redis-info': [
    { data: { used_memory: '1048576', maxmemory_policy: 'noeviction' } },
    {
      args: { section: 'server' },
      data: {
        redis_version: '8.2.1',
        executable: '/data/redis-server',
        listener0: 'name=tcp,bind=*,port=6379',
      },
    },
  ],
  'redis-slow-commands': [{ output: /"keys"/ }],
};
