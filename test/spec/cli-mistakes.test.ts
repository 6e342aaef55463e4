// Typical mistakes at the command line: each is reported in a sentence with a remedy, none with a stack trace (decision 53, the
// program).
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

/** Nobody listens there. */
const NO_HUB = 'http://127.0.0.1:9';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  writeFileSync(join(folder.path, 'a-file'), '');
  mkdirSync(join(folder.path, 'bad-key'));
  writeFileSync(join(folder.path, 'bad-key', 'master.key'), 'short\n');
  mkdirSync(join(folder.path, 'bad-store'));
  writeFileSync(
    join(folder.path, 'bad-store', 'svc.db'),
    'no database, and long enough to be looked at '.repeat(100),
  );
  mkdirSync(join(folder.path, 'newer'));
  using newer = new Database(join(folder.path, 'newer', 'svc.db'));
  newer.run('create table svc_migrations (name varchar(255) primary key, timestamp varchar(255) not null)');
  newer.run("insert into svc_migrations values ('9999-later-needs-9998', '2030-01-01')");
});
afterAll(() => folder[Symbol.asyncDispose]());

interface Mistake {
  readonly what: string;
  readonly args: readonly string[];
  readonly env?: (folder: string) => Record<string, string>;
  readonly exitCode: number;
  readonly lines: readonly (string | RegExp)[];
}

const HUB = ['hub', '--port', '0'];

const MISTAKES: readonly Mistake[] = [
  {
    what: 'a hub whose data folder cannot be made',
    args: HUB,
    env: (path) => ({ SVC_DATA_DIR: join(path, 'a-file', 'data') }),
    exitCode: 2,
    lines: [/^error {2}the data folder cannot be used: .*a-file/, 'try    SVC_DATA_DIR=<another folder>'],
  },
  {
    what: 'a hub whose master key is damaged',
    args: HUB,
    env: (path) => ({ SVC_DATA_DIR: join(path, 'bad-key') }),
    exitCode: 2,
    lines: [/^error {2}.*master\.key: 64 hexadecimal digits in each line expected$/],
  },
  {
    what: 'a hub whose database is none',
    args: HUB,
    env: (path) => ({ SVC_DATA_DIR: join(path, 'bad-store') }),
    exitCode: 1,
    lines: [
      /^error {2}.*file is not a database$/,
      'try    svc admin check lists the damage; see docs/operate/operating.md, "The store is damaged"',
    ],
  },
  {
    what: 'a hub that is older than what was there before it',
    args: HUB,
    env: (path) => ({ SVC_DATA_DIR: join(path, 'newer') }),
    exitCode: 1,
    lines: [
      /^error {2}the schema is not one of this program: .*9999-later-needs-9998 is missing$/,
      'try    check SVC_DATA_DIR',
    ],
  },
  {
    what: 'a hub whose PostgreSQL does not answer',
    args: HUB,
    env: (path) => ({
      SVC_DATA_DIR: join(path, 'pg'),
      DATABASE_URL: 'postgres://127.0.0.1:9/svc',
      SVC_MASTER_KEY: '0'.repeat(64),
    }),
    exitCode: 1,
    lines: [/^error {2}.*ECONNREFUSED/, 'try    check DATABASE_URL'],
  },
  {
    what: 'an operator who looks where no hub has kept anything',
    args: ['admin', 'users'],
    env: (path) => ({ SVC_DATA_DIR: join(path, 'nothing') }),
    exitCode: 2,
    lines: [/^error {2}no hub has kept its data in .*nothing: set SVC_DATA_DIR/],
  },
  {
    what: 'a call where no hub runs',
    args: ['call', 'ada/hello', '--base-url', NO_HUB],
    exitCode: 1,
    lines: [`error  no response from ${NO_HUB}`, /^try {4}svc up/],
  },
  {
    what: 'an argument without its name',
    args: ['call', 'hello', 'Ada'],
    exitCode: 2,
    lines: [
      "error  'Ada': expected an argument as name=text, name:=json, @file or -",
      'try    svc call --help',
    ],
  },
  {
    what: 'what is no id of an execution',
    args: ['logs', 'hello', '--base-url', NO_HUB],
    exitCode: 2,
    lines: ["error  'hello': expected an id from the list", 'try    svc logs --help'],
  },
  ...['approvals', 'schedules'].map((command) => ({
    what: `svc ${command} without a login`,
    args: [command, '--base-url', NO_HUB],
    exitCode: 2,
    lines: [`error  not signed in at ${NO_HUB}`, 'try    svc login, or set SVC_ACCESS_TOKEN'],
  })),
];

for (const { what, args, env, exitCode, lines } of MISTAKES)
  test(what, async () => {
    const own = { XDG_CONFIG_HOME: folder.path, SVC_API_KEY: '', ...env?.(folder.path) };
    const ran = await runSvc(args, { cwd: folder.path, env: own });
    expect([ran.exitCode, ran.stdout, ran.stderr.trimEnd().split('\n')]).toEqual([
      exitCode,
      '',
      lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
    ]);
  });
