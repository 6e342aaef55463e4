// `svc init` and `svc validate`: decision 53, the program.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const run = (...args: string[]) => runSvc(args, { cwd: folder.path });
const path = (name: string) => join(folder.path, name);

test('svc init writes a config that is valid, and says what to try next', async () => {
  expect(await run('init')).toEqual({
    exitCode: 0,
    stdout: 'wrote  svc.yaml\ntry    svc up\n',
    stderr: '',
  });
  const { exitCode, stdout } = await run('validate');
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(/^valid {5}svc\.yaml: \d endpoints, no problems\n$/m),
  ]);
});

test('the commented pipeline of svc init is valid once it is uncommented', async () => {
  await run('init');
  const [endpoints = '', pipelines = ''] = readFileSync(path('svc.yaml'), 'utf8').split(
    /^#\n(?=# pipelines:)/m,
  );
  writeFileSync(path('svc.yaml'), `${endpoints}\n${pipelines.replaceAll(/^# /gm, '')}`);
  const { exitCode, stdout } = await run('validate');
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(/^valid {5}svc\.yaml: \d endpoints and 1 pipeline, no problems\n$/m),
  ]);
});

test('svc init does not overwrite a file without --force', async () => {
  writeFileSync(path('svc.yaml'), 'precious');
  expect(await run('init')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'error  svc.yaml already exists\ntry    svc init --force\n',
  });
  expect(readFileSync(path('svc.yaml'), 'utf8')).toBe('precious');
  expect((await run('init', '--force')).exitCode).toBe(0);
  expect(readFileSync(path('svc.yaml'), 'utf8')).toContain('endpoints:');
});

test('svc init writes to the given folder, if it can', async () => {
  expect((await run('init', '-c', 'other.yaml')).stdout).toBe(
    'wrote  other.yaml\ntry    svc up --config other.yaml\n',
  );
  expect(await run('init', '-c', 'no/svc.yaml')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'error  no/svc.yaml is in a folder that does not exist\n',
  });
});

test('svc init --from writes a template unchanged, and lists the templates', async () => {
  expect(await run('init', '--from', 'disk-usage')).toMatchObject({ exitCode: 0, stderr: '' });
  const template = join(import.meta.dir, '../../templates/monitoring/disk-usage.yaml');
  expect(readFileSync(path('svc.yaml'), 'utf8')).toBe(readFileSync(template, 'utf8'));
  expect((await run('validate')).exitCode).toBe(0);
  const ids = (await run('init', '--list')).stdout.trimEnd().split('\n');
  expect(ids).toContainEqual(expect.stringMatching(/^disk-usage {2,}Monitoring: Disk usage \(disk, /));
  expect(ids.length).toBeGreaterThan(40);
});

test('svc init --from refuses an unknown template, and writes nothing', async () => {
  expect(await run('init', '--from', 'disk-usag')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'error  there is no template "disk-usag"; did you mean "disk-usage"?\ntry    svc init --list\n',
  });
  expect(existsSync(path('svc.yaml'))).toBe(false);
});

test('svc import writes a config that is valid, prints what it left out, and overwrites nothing', async () => {
  writeFileSync(path('jobs'), '@daily df -P\nnonsense\n');
  expect(await run('import', 'crontab', 'jobs')).toEqual({
    exitCode: 0,
    stdout: '',
    stderr:
      'wrote     svc.yaml: 1 endpoint\n' +
      'left out  nonsense: expected five times and a command\n' +
      'try       read the notes in svc.yaml, then svc validate --explain\n',
  });
  expect((await run('validate')).exitCode).toBe(0);
  expect((await run('import', 'crontab', 'jobs')).stderr).toBe(
    'error  svc.yaml already exists\ntry    svc import crontab jobs --force\n',
  );
  expect((await run('import', 'crontab', 'jobs', '--config', '-')).stdout).toContain('command: df -P\n');
  expect(await run('import', 'webhook', 'jobs')).toMatchObject({ exitCode: 2 });
  expect((await run('import', 'cron', 'jobs')).exitCode).toBe(2);
});

const WRONG =
  'version: 1\nendpoints:\n  - name: Hello\n    command: echo hi\n  - name: x\n    command: eval {{y}}\n    args: [{name: y}]\n';

test('svc validate shows every problem with line and column', async () => {
  writeFileSync(path('svc.yaml'), WRONG);
  const { exitCode, stdout, stderr } = await run('validate');
  expect(exitCode).toBe(2);
  expect(`${stdout}${stderr}`.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^svc\.yaml:3:11: .*"Hello"/),
    expect.stringMatching(/^svc\.yaml:6:19: /),
    'error  2 problems in svc.yaml',
  ]);
});

test('svc validate finds a jq mistake in select, with its place', async () => {
  const endpoint = (name: string, select: string) =>
    `  - name: ${name}\n    command: id\n    transform: {parse: json, select: '${select}'}\n`;
  const program = 'def f: f; f, env, input';
  writeFileSync(
    path('svc.yaml'),
    `version: 1\nendpoints:\n${endpoint('good', program)}${endpoint('bad', '.a |')}`,
  );
  const { exitCode, stdout, stderr } = await run('validate');
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toStartWith('svc.yaml:8:38: transform.select: syntax error, unexpected end of file');
  expect(JSON.parse((await run('validate', '--json')).stdout)).toMatchObject({
    valid: false,
    problems: [{ line: 8, column: 38, path: 'endpoints[1].transform.select' }],
  });
  writeFileSync(path('svc.yaml'), `version: 1\nendpoints:\n${endpoint('good', program)}`);
  expect((await run('validate')).exitCode).toBe(0);
});

test('svc validate --json says the same to programs', async () => {
  writeFileSync(path('wrong.yaml'), WRONG);
  const { exitCode, stdout, stderr } = await run('validate', 'wrong.yaml', '--json');
  expect([exitCode, stderr]).toEqual([2, '']);
  expect(JSON.parse(stdout)).toEqual({
    file: 'wrong.yaml',
    valid: false,
    problems: [
      { line: 3, column: 11, message: expect.stringContaining('"Hello"'), path: 'endpoints[0].name' },
      { line: 6, column: 19, message: expect.any(String), path: 'endpoints[1].command' },
    ],
    warnings: [],
    endpoints: [],
  });
});

const TYPED = `
version: 1
endpoints:
  - name: run
    command: ./run.sh {{a}} {{b}}
    args: [{name: a}, {name: b, type: code}]
`;

test('svc validate lists inferred types and announces code; --explain says what each argument accepts', async () => {
  writeFileSync(path('svc.yaml'), TYPED);
  const { exitCode, stdout } = await run('validate');
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('inferred  run: a is text\n')]);
  expect(stdout).toContain('run: b: Code: whatever you type is run as a program');
  const explained = await run('validate', '--explain');
  expect(explained.stdout).toContain('./run.sh {{a}} {{b}}');
  expect(explained.stdout).toContain('a (text, inferred) accepts any text');
  const { endpoints } = JSON.parse((await run('validate', '--explain', '--json')).stdout) as {
    endpoints: unknown;
  };
  expect(endpoints).toMatchObject([
    { name: 'run', command: './run.sh {{a}} {{b}}', travel: expect.any(Array) },
  ]);
});

const TRAVEL = `
version: 1
endpoints:
  - name: rows
    command: psql -c {{q}} -v id={{id}} app
    args: [{name: q, type: code}, {name: id}]
  - name: list
    command: v={{x}}; ls -- "$v" > out.txt
    args: [{name: x}, {name: unused}]
`;

test('svc validate --explain says the place of each value, and names the program that runs code', async () => {
  writeFileSync(path('svc.yaml'), TRAVEL);
  const { exitCode, stdout } = await run('validate', '--explain');
  const lines = stdout.split('\n').map((line) => line.trim());
  const after = (start: string) => lines[lines.findIndex((line) => line.startsWith(start)) + 1];
  expect(exitCode).toBe(0);
  expect(after('q (code)')).toBe('to argument 2 of psql');
  expect(after('id (word, inferred)')).toBe('to argument 4 of psql');
  expect(after('x (word, inferred)')).toBe('to argument 2 of ls');
  expect(lines).toContain('to assignment v, which takes it as data');
  expect(lines).toContain('to redirect >');
  expect(after('unused (text, inferred)')).toBe(
    'to the environment variable SVC_ARG_UNUSED, which takes it as data',
  );
  expect(stdout).toContain('rows: q: Code: whatever you type is run as a program by psql.');
});

test('svc validate --strict refuses a text that reaches a program which is not known', async () => {
  const config = (type: string) =>
    `version: 1\nendpoints:\n  - name: list\n    command: ls -- {{x}}\n    args: [{name: x, type: ${type}}]\n`;
  writeFileSync(path('svc.yaml'), config('text'));
  expect((await run('validate')).exitCode).toBe(0);
  const strict = await run('validate', '--strict');
  expect([strict.exitCode, strict.stdout + strict.stderr]).toEqual([
    2,
    expect.stringContaining('argument "x" is text and reaches argument 2 of ls'),
  ]);
  writeFileSync(path('svc.yaml'), config('path'));
  expect((await run('validate', '--strict')).exitCode).toBe(0);
});

test('svc validate --json of a good file, and of one that is not there', async () => {
  await run('init');
  expect(JSON.parse((await run('validate', '--json')).stdout)).toEqual({
    file: 'svc.yaml',
    valid: true,
    problems: [],
    warnings: [],
    endpoints: expect.arrayContaining([
      { name: 'hello', args: [{ name: 'name', type: 'text', inferred: true, accepts: 'any text' }] },
    ]),
  });
  const missing = await run('validate', '--json', '-c', 'no.yaml');
  expect([missing.exitCode, JSON.parse(missing.stdout)]).toEqual([
    2,
    {
      file: 'no.yaml',
      valid: false,
      problems: [{ line: 1, column: 1, message: 'no.yaml does not exist', path: '' }],
      warnings: [],
      endpoints: [],
    },
  ]);
});

test('a key without effect is a warning, and the file is valid', async () => {
  writeFileSync(path('svc.yaml'), 'version: 1\nendpoints: []\n');
  const { exitCode, stdout } = await run('validate');
  expect(exitCode).toBe(0);
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^warning {2}svc\.yaml:2:1: /),
    'valid    svc.yaml: 0 endpoints, no problems',
    '',
  ]);
});

test.each(['--help', 'serve --help', 'init --help', 'validate --help', 'help serve'])(
  'svc %s shows examples and exit codes, on stdout',
  async (args) => {
    const { exitCode, stdout, stderr } = await run(...args.split(' '));
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Examples:\n  svc ');
    expect(stdout).toMatch(/Exit codes:\n {2}0 {2}/);
  },
);

test('svc alone shows help and says by its exit code that it did nothing', async () => {
  const { exitCode, stdout, stderr } = await run();
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toStartWith('Usage: svc ');
});

test('svc --version is the version', async () => {
  const { version } = (await import('../../package.json')) as { version: string };
  expect((await run('--version')).stdout).toBe(`${version}\n`);
});
