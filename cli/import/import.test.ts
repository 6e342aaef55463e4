import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '@svc/core/config/parse-config';
import { bind } from '@svc/core/endpoint/bind';
import fc from 'fast-check';
import { importCrontab } from './crontab.ts';
import type { Imported } from './imported.ts';
import { importOliveTin } from './olivetin.ts';
import { importWebhook } from './webhook.ts';
import { writeConfig } from './write-config.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dir, 'fixtures', name), 'utf8');
const crontab = (text: string, hasUser = false, timeZone = 'UTC') =>
  importCrontab(text, { hasUser, timeZone });

/** The endpoints and pipelines of the file that is written, by name, and its text. */
function written(imported: Imported) {
  const file = writeConfig(imported, 'a file');
  const parsed = parseConfig(file.yaml);
  if (parsed.kind !== 'config') throw new Error(parsed.problems.map(({ message }) => message).join('\n'));
  const { endpoints, pipelines } = parsed.config;
  return { ...file, endpoint: new Map(endpoints.map((one) => [one.slug, one])), parsedPipelines: pipelines };
}

test('a crontab becomes endpoints with schedules in numbers, macros written out, and comments as descriptions', () => {
  const { endpoint, leftOut, yaml } = written(crontab(fixture('crontab')));
  expect([...endpoint].map(([slug, { schedule }]) => [slug, schedule])).toEqual([
    ['backup-db', '30 2 * * *'],
    ['warm-cache', undefined],
    ['sitemap', '0 0 * * *'],
    ['mail', '0 8 * 1-3 1,3,5'],
    ['find', '*/10 * * * 0'],
    ['certbot', '5 4 * * 0'],
    ['report', undefined],
  ]);
  expect(endpoint.get('backup-db')).toMatchObject({
    description: 'Backs up the database every night',
    command: '/usr/local/bin/backup-db.sh --to "$BACKUP_DIR"',
    env: { BACKUP_DIR: '/srv/backup' },
    timeoutSec: 86_400,
  });
  expect(endpoint.get('certbot')?.command).toEndWith('date +%F');
  expect(leftOut).toEqual([{ name: 'nonsense', reason: 'expected five times and a command' }]);
  expect(yaml).toContain('# Its times, "0 0 1-7 * 5-7", are not taken over: day of week "5-7"');
  expect(yaml).not.toContain('time zone');
});

test('a crontab of a machine outside UTC gets a note about its hours', () => {
  const { yaml } = written(crontab('0 3 * * * true', false, 'Europe/Berlin'));
  expect(yaml).toContain('in the time zone of the machine (Europe/Berlin), svc in UTC');
});

test('a crontab of the system has users, which become notes', () => {
  const { endpoint, yaml } = written(crontab(fixture('crontab-system'), true));
  expect([...endpoint.keys()]).toEqual(['run-parts', 'anacron']);
  expect(endpoint.get('run-parts')).toMatchObject({ schedule: '17 * * * *' });
  expect(endpoint.get('run-parts')?.description).toBeUndefined();
  expect(yaml).toContain('# cron runs it as www-data.');
});

test('the text after % reaches the command as its input, as cron gives it', async () => {
  const { endpoint } = written(crontab(String.raw`@daily cat%Hello,%$HOME 100\% 'you'`));
  const cat = endpoint.get('cat');
  if (cat === undefined) throw new Error('there is no endpoint "cat"');
  const child = Bun.spawn([...bind(cat, new Map()).argv], { stdout: 'pipe', stderr: 'inherit' });
  expect(await new Response(child.stdout).text()).toBe("Hello,\n$HOME 100% 'you'\n");
});

test('a signed hook becomes a pipeline whose condition is the rule, without the secret', () => {
  const { endpoint, parsedPipelines, yaml } = written(importWebhook(fixture('hooks.json')));
  expect(endpoint.get('redeploy-webhook-command')).toMatchObject({
    command: "/opt/scripts/redeploy.sh {{head_commit_id}} 'two words' {{pusher_name}}",
    cwd: '/srv/app',
  });
  expect(parsedPipelines).toMatchObject([{ slug: 'redeploy-webhook', trigger: { type: 'webhook' } }]);
  expect(yaml).toContain(`expression: '{input.ref} == "refs/heads/master"'`);
  expect(yaml).toContain("head_commit_id: '{input.head_commit.id}'");
  expect(yaml).toContain('secret: $svc:WEBHOOK_REDEPLOY_WEBHOOK');
  expect(yaml).toContain('svc secrets set WEBHOOK_REDEPLOY_WEBHOOK -');
  expect(yaml).not.toContain('not-to-be-copied');
});

test.each(['hooks.json.example', 'hooks.yaml.example'])(
  'the example of webhook itself, %s, is imported whole',
  (name) => {
    const { endpoint, parsedPipelines, leftOut, yaml } = written(importWebhook(fixture(`webhook/${name}`)));
    expect(leftOut).toEqual([]);
    expect(endpoint.get('webhook-command')).toMatchObject({
      command: '/home/adnan/redeploy-go-webhook.sh {{head_commit_id}} {{pusher_name}} {{pusher_email}}',
      cwd: '/home/adnan/go',
    });
    expect(parsedPipelines).toMatchObject([{ slug: 'webhook', trigger: { type: 'webhook' } }]);
    expect(yaml).toContain(`expression: '{input.ref} == "refs/heads/master"'`);
    expect(yaml).toContain('# Without a counterpart here: response-message, response-headers.');
    expect(yaml).not.toContain('mysecret');
  },
);

test('JSON with commas at the end of lists is read, as webhook reads it', () => {
  const { endpoint } = written(importWebhook('[{"id": "a", "execute-command": "/bin/true",},]'));
  expect([...endpoint.keys()]).toEqual(['a']);
});

test('a variable whose name a shell does not take gets another, and its value stays data', () => {
  const { endpoint, yaml } = written(
    importWebhook(`- id: a
  execute-command: /bin/env
  pass-environment-to-command: [{ source: payload, name: head_commit.timestamp }]`),
  );
  expect(endpoint.get('a')?.command).toBe('HOOK_head_commit_timestamp={{head_commit_timestamp}} /bin/env');
  expect(yaml).toContain('The variable HOOK_head_commit.timestamp is HOOK_head_commit_timestamp here.');
});

test('other hooks become endpoints; what they pass whole, or as a program, is left out with the reason', () => {
  const { endpoint, leftOut, yaml } = written(importWebhook(fixture('hooks.json')));
  expect(endpoint.get('restart-service')).toMatchObject({
    command: 'SERVICE={{service}} /usr/local/bin/restart.sh',
    method: 'POST',
  });
  expect(yaml).toContain('# The check "value" of url token is not imported');
  expect(leftOut).toEqual([
    { name: 'whole', reason: 'its command gets "entire-payload", which svc does not pass on' },
    { name: 'shell', reason: expect.stringContaining('would become part of a program that sh runs') },
  ]);
});

const rule = (text: string) =>
  importWebhook(`- {id: a, execute-command: /bin/true, trigger-rule: {and: [${SIGNED}, ${text}]}}`);
const SIGNED =
  '{match: {type: payload-hmac-sha256, secret: s, parameter: {source: header, name: X-Hub-Signature-256}}}';
const is = (value: string) =>
  `{match: {type: value, value: ${value}, parameter: {source: payload, name: action}}}`;
const ADDRESS = '{match: {type: ip-whitelist, ip-range: 10.0.0.0/8}}';

test.each([
  [is('opened'), '{input.action} == "opened"', []],
  [
    `{or: [${is('opened')}, ${is('closed')}]}`,
    '({input.action} == "opened") || ({input.action} == "closed")',
    [],
  ],
  [`{not: ${is('closed')}}`, '!({input.action} == "closed")', []],
  [`{not: {and: [${is('closed')}, ${ADDRESS}]}}`, undefined, ['"ip-whitelist"', 'A negated check']],
  [`{or: [${is('opened')}, ${ADDRESS}]}`, '{input.action} == "opened"', ['"ip-whitelist"', 'is a choice']],
])('the rule %s has its condition, or a note', (text, condition, notes) => {
  const [entry] = rule(text).entries;
  const nodes = (entry?.pipeline?.nodes ?? []) as { expression?: string }[];
  expect(nodes.map(({ expression }) => expression).find(Boolean)).toBe(condition as string);
  expect(entry?.notes.filter((note) => !note.startsWith('The pipeline'))).toEqual(
    notes.map((note) => expect.stringContaining(note)),
  );
  written(rule(text));
});

test('actions of OliveTin become endpoints whose values are data', () => {
  const { endpoint, leftOut, yaml } = written(importOliveTin(fixture('olivetin.yaml')));
  expect([...endpoint.keys()]).toEqual([
    ...['ping-the-internet', 'ping_host', 'say-it', 'restart-container', 'pack-folders', 'backup'],
  ]);
  expect(endpoint.get('ping_host')).toMatchObject({
    command: 'ping {{host}} -c {{count}}',
    timeoutSec: 100,
    maxConcurrent: 3,
  });
  const say = endpoint.get('say-it');
  if (say === undefined) throw new Error('there is no endpoint "say-it"');
  const { argv, env } = bind(say, new Map([['message', '"; rm -rf / #']]));
  expect(argv.join(' ')).not.toContain('rm -rf');
  expect(Object.values(env)).toContain('"; rm -rf / #');
  expect(yaml).toContain('OliveTin runs it by the clock; a schedule needs a default for every argument.');
  expect(leftOut.map(({ name }) => name)).toEqual([
    'Stop {{ container.Names }}',
    'Wake {{ .CurrentEntity.hostname }}',
  ]);
  expect(yaml).toContain(
    '# Without a counterpart here: groups, maxRate, execOnStartup, shellAfterCompleted.',
  );
});

test('a checklist of OliveTin takes several of its choices, separated by commas', () => {
  const pack = written(importOliveTin(fixture('olivetin.yaml'))).endpoint.get('pack-folders');
  if (pack === undefined) throw new Error('there is no endpoint "pack-folders"');
  expect(bind(pack, new Map([['folders', 'old.photos,documents']])).env).toBeDefined();
  for (const folders of ['oldXphotos', 'documents,', 'music', 'documents photos'])
    expect(() => bind(pack, new Map([['folders', folders]]))).toThrow();
});

test('the file that is written has no problems, whatever a crontab says', () => {
  const word = fc.oneof(
    fc.constantFrom('*', '5', '@daily', 'mon', '%', '{{x}}', '$(', '"', '#', 'a=b', '\t'),
    fc.string(),
  );
  const line = fc.array(word, { maxLength: 9 }).map((words) => words.join(' '));
  const job = line.map((text) => `@daily ${text}`);
  fc.assert(
    fc.property(fc.array(fc.oneof(line, job), { maxLength: 6 }), fc.boolean(), (lines, hasUser) => {
      written(crontab(lines.join('\n'), hasUser, 'Asia/Tokyo'));
    }),
  );
});
