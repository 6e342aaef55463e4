// svc version, explain, man and completion, and suggestions for unknown commands: with real shells and the real man.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  const program = join(import.meta.dir, '../../cli/svc.ts');
  await Bun.write(join(folder.path, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(folder.path, 'svc'), 0o755);
});
afterAll(() => folder[Symbol.asyncDispose]());

const svc = (...args: string[]) => runSvc(args, { cwd: folder.path });

/** The output of another program, with `svc` in its path. */
async function run(...command: string[]) {
  const child = Bun.spawn(command, {
    cwd: folder.path,
    env: { ...process.env, PATH: `${folder.path}:${process.env.PATH}`, MANWIDTH: '120', LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  await child.exited;
  return { stdout, stderr };
}

test('svc version prints the version, for people and for programs', async () => {
  const { stdout } = await svc('version');
  expect(stdout).toMatch(/^svc \d+\.\d+\.\d+ \(/);
  const { version } = JSON.parse((await svc('version', '--json')).stdout);
  expect(stdout).toStartWith(`svc ${version} `);
});

describe('svc explain', () => {
  test('shows one key by its path, or a key by its last name with the keys below it', async () => {
    const { stdout } = await svc('explain', 'endpoints.timeout');
    expect(stdout).toMatch(/^endpoints\.timeout {2}integer, 1 to \d+; default 60\n/);
    const all = (await svc('explain', 'transform')).stdout;
    expect(all).toStartWith('endpoints.transform ');
    expect(all).toContain('\nendpoints.transform.parse ');
    expect((await svc('explain')).stdout).toContain('\npipelines.nodes.endpoint ');
    expect(JSON.parse((await svc('explain', 'endpoints.name', '--json')).stdout)).toMatchObject({
      required: true,
    });
  });

  test('suggests a key for one that it does not know', async () => {
    expect(await svc('explain', 'timout')).toMatchObject({
      exitCode: 2,
      stderr: 'error  svc.yaml has no key "timout": did you mean timeout?\ntry    svc explain\n',
    });
  });
});

describe('an unknown command', () => {
  test.each([
    ['secret', 'did you mean secrets?'],
    ['endpoint', 'did you mean endpoints?'],
    ['run', 'did you mean call?'],
    ['whoami', 'did you mean context?'],
  ])('svc %s: %s', async (word, suggestion) => {
    const { stderr, exitCode } = await svc(word);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(suggestion);
  });
});

describe('svc man', () => {
  test.skipIf(Bun.which('man') === null)(
    'writes a page for every command, which man shows without a warning',
    async () => {
      const { stdout } = await svc('man', '--dir', 'pages');
      const files = readdirSync(join(folder.path, 'pages'));
      expect(stdout).toBe(`${files.length} pages in pages\n`);
      expect(files).toContain('svc-keys-create.1');
      const shown = await Promise.all(files.map((file) => run('man', '--warnings', '-l', `pages/${file}`)));
      expect(shown.filter(({ stderr }) => stderr !== '')).toEqual([]);
      const page = shown[files.indexOf('svc-call.1')]?.stdout ?? '';
      for (const part of [
        'svc-call - call an endpoint',
        'EXIT STATUS',
        'svc call order count:=3 \'items:=[{"id":7}]\'',
      ])
        expect(page).toContain(part);
    },
    120_000,
  );

  test('says which command it does not know', async () => {
    expect((await svc('man', 'keys', 'bake')).stderr).toContain('there is no command "svc keys bake"');
  });
});

describe('svc completion', () => {
  const words = async (...line: string[]) =>
    (await svc('completion', 'words', '--', ...line)).stdout
      .trimEnd()
      .split('\n')
      .map((one) => one.split('\t')[0]);

  test('offers subcommands, and options of the innermost one', async () => {
    expect(await words('sec')).toEqual(['secrets']);
    expect(await words('keys', 'r')).toEqual(['rotate', 'revoke']);
    expect(await words('keys', 'create', 'ci', '--e')).toEqual(['--endpoint', '--expires']);
    expect(await words('call', 'hello', '')).toEqual(['']);
    expect(await words('logs', '--status', '')).toEqual(['']);
  });

  test.skipIf(Bun.which('bash') === null)('works in bash', async () => {
    const script =
      'source <(svc completion bash); COMP_WORDS=(svc keys ro); COMP_CWORD=2; _svc; echo "${COMPREPLY[@]}"';
    expect(await run('bash', '-c', script)).toEqual({ stdout: 'rotate\n', stderr: '' });
    const options =
      'source <(svc completion bash); COMP_WORDS=(svc logs --li); COMP_CWORD=2; _svc; echo "${COMPREPLY[@]}"';
    expect((await run('bash', '-c', options)).stdout).toBe('--limit\n');
  });

  test.skipIf(Bun.which('zsh') === null)('works in zsh', async () => {
    // _describe writes to the line editor; a stand-in prints what it is given.
    const script =
      'compdef() { :; }; source <(svc completion zsh); _describe() { print -l -- "${(@P)2}"; }; words=(svc keys ro); CURRENT=3; _svc';
    const { stdout, stderr } = await run('zsh', '-fc', script);
    expect([stdout, stderr]).toEqual([
      'rotate:replace the token of an API key and print the new one once\n',
      '',
    ]);
  });

  test.skipIf(Bun.which('fish') === null)('works in fish', async () => {
    const script = 'svc completion fish | source; complete -C "svc keys ro"';
    expect((await run('fish', '-c', script)).stdout).toStartWith('rotate\t');
  });
});
