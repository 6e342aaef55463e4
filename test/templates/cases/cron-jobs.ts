import type { TemplateCases } from '../template-case.ts';

const BACKUPS = { BACKUP_DIR: 'FOLDER/backups' };
const DATA = { ...BACKUPS, SOURCE: 'FOLDER/data' };
const OLD =
  'mkdir backups && touch -t 202001010000 backups/app-old.dump backups/data-old.tar.gz backups/other';

export const CRON_JOBS: TemplateCases = {
  'nightly-pg-backup': [
    {
      env: BACKUPS,
      before: OLD,
      output: /app-old\.dump\n-rw-------.*\.dump\n$/,
      after: 'cd backups && [ ! -e app-old.dump ] && [ -e other ] && [ "$(cat app-*.dump)" = PGDMP ]',
    },
    // No new dump: what is old stays.
    {
      env: { ...BACKUPS, PGDATABASE: 'wrong' },
      before: OLD,
      exitCode: 65,
      after: 'test -e backups/app-old.dump',
    },
  ],
  'nightly-folder-backup': [
    {
      env: DATA,
      before: `${OLD}; mkdir data; echo kept > 'data/a b'`,
      output: /data-old\.tar\.gz\n-rw-------.*\.tar\.gz\n$/,
      after: 'cd backups && [ ! -e data-old.tar.gz ] && [ "$(tar -xzOf data-*.tar.gz "data/a b")" = kept ]',
    },
    { env: DATA, before: OLD, exitCode: 2, after: 'test -e backups/data-old.tar.gz' },
  ],
  'renew-certificates': [{ output: /No renewals/ }],
  certificates: [
    {
      data: [
        {
          name: 'example.com',
          domains: ['example.com', 'www.example.com'],
          expires: '2027-01-30 00:00:00+00:00 (VALID: 70 days)',
        },
        {
          name: 'api.example.com',
          domains: ['api.example.com'],
          expires: '2027-02-01 00:00:00+00:00 (VALID: 72 days)',
        },
      ],
    },
  ],
  'rotate-logs': [
    {
      env: { LOG_DIR: 'FOLDER/log', KEEP_DAYS: '10000' },
      before: `mkdir log && cd log && echo x > 'old one.log' && echo x > new.log && touch ancient.log.gz other
        touch -t 202001010000 'old one.log' other; touch -t 198001010000 ancient.log.gz`,
      output: './old one.log\n./ancient.log.gz\n',
      after: `cd log && [ "$(ls | tr '\\n' ' ')" = 'new.log old one.log.gz other ' ] || { ls; exit 1; }`,
    },
  ],
  'disk-space-alarm': [
    { output: /^all below 90%\n$/ },
    { args: { percent: '50' }, exitCode: 1, output: '/data is 87% full\n' },
  ],
  'weekly-docker-cleanup': [{ output: /space: 1GB\nTotal: 300MB\nTYPE/ }],
  'git-mirror': [
    {
      env: { SOURCE_URL: 'FOLDER/origin.git', MIRROR_DIR: 'FOLDER/mirror.git' },
      repository: true,
      output: /^\s*3 references, newest commit 2026-03-01T00:00:00(?:Z|\+00:00)\n$/,
    },
    {
      env: { SOURCE_URL: 'FOLDER/origin.git', MIRROR_DIR: 'FOLDER/mirror.git' },
      repository: true,
      before: `cd work; git clone -q --mirror ../origin.git ../mirror.git; git push -q origin :feature/x main:new`,
      output: /^\s*4 references/,
    },
  ],
  'git-mirror-check': [
    {
      env: { MIRROR_DIR: 'FOLDER/mirror.git' },
      repository: true,
      before: `cd work; git clone -q --mirror ../origin.git ../mirror.git`,
      output: '',
    },
  ],
  'uptime-probe': [
    { output: 'https://example.com/ is well\n' },
    { env: { EXPECTED: 'Hello' }, exitCode: 1, output: 'https://example.com/ answers without "Hello"\n' },
    { env: { URL: 'https://example.com/gone' }, exitCode: 1, output: /404\n.*does not answer\n$/ },
  ],
};
