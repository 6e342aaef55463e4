// The agent's token stays with the agent (decision 59, the agent's token stays with the agent): a command that searches for it
// finds nothing, though it runs as the agent's own user.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentProgram, type AgentStart } from '../agent-program.ts';
import { AS_NOBODY, giveToNobody } from '../as-nobody.ts';
import { runSvc } from '../program.ts';

setDefaultTimeout(60_000);

const LOOK = {
  name: 'look',
  command: `sh ${join(import.meta.dir, '..', 'look-at-process.sh')} $PPID; echo pid $PPID`,
};
const onLinux = describe.skipIf(process.platform !== 'linux');

let program: AgentProgram;
let tokenFile: string;
beforeEach(async () => {
  program = await AgentProgram.make([LOOK]);
  tokenFile = program.path('agent-token');
  writeFileSync(tokenFile, `${program.token}\n`, { mode: 0o600 });
  giveToNobody(program.folder, tokenFile);
});
afterEach(async () => {
  expect(program.printed).not.toContain(program.token);
  await program[Symbol.asyncDispose]();
});

const FROM_FILE: AgentStart = { withoutToken: true };

onLinux('a command of the same user finds no token in its agent', () => {
  const ways: [
    string,
    () => [args: readonly string[], env: Readonly<Record<string, string>>, more: AgentStart],
  ][] = [
    ['SVC_TOKEN', () => [[], {}, {}]],
    ['--token', () => [['--token', program.token], {}, FROM_FILE]],
    ['--token=', () => [[`--token=${program.token}`, '--json'], {}, FROM_FILE]],
    ['--token and SVC_TOKEN', () => [['--token', program.token], {}, {}]],
    ['--token-file', () => [['--token-file', tokenFile], {}, FROM_FILE]],
    ['--token-file and SVC_TOKEN', () => [['--token-file', tokenFile], {}, {}]],
    ['SVC_TOKEN_FILE', () => [[], { SVC_TOKEN_FILE: tokenFile }, FROM_FILE]],
    ['standard input', () => [['--token-file', '-'], {}, { ...FROM_FILE, stdin: tokenFile }]],
  ];

  test.each(ways)('that was passed by %s', async (_, start) => {
    const [args, env, more] = start();
    const agent = await program.connect(args, env, { ...more, wrapper: AS_NOBODY });
    const { output } = await program.hub.ended(program.hub.run('look'));
    expect(output.split('\n').slice(0, -1)).toEqual([
      'environ denied',
      'cmdline clean',
      'mem denied',
      'fd denied',
      'environ clean',
      'descriptors 0 1 2 3 ',
      'variables 0',
      // It is the started process: its parent can still watch and signal it.
      `pid ${agent.pid}`,
    ]);
    agent.signal('SIGTERM');
    expect(await agent.exited).toBe(0);
  });

  test('that is a credential of systemd', async () => {
    mkdirSync(program.path('credentials'), { mode: 0o700 });
    const credential = program.path('credentials/svc-token');
    writeFileSync(credential, program.token, { mode: 0o400 });
    giveToNobody(program.path('credentials'), credential);
    const env = { CREDENTIALS_DIRECTORY: program.path('credentials') };
    await program.connect([], env, { ...FROM_FILE, wrapper: AS_NOBODY });
    const { output } = await program.hub.ended(program.hub.run('look'));
    expect(output).toContain('environ denied\ncmdline clean\nmem denied\nfd denied\n');
    expect(output).toContain('variables 0\n');
  });
});

onLinux.skipIf(process.getuid?.() !== 0)('as the first process of a container', () => {
  test('it shows no token, and a signal stops it', async () => {
    const agent = await program.connect([], {}, { wrapper: ['unshare', '--pid', '--fork', '--mount-proc'] });
    const { output } = await program.hub.ended(program.hub.run('look'));
    expect(output).toContain('environ clean\ncmdline clean\n');
    expect(output).toContain('variables 0\npid 1\n');
    const inside = Number(readFileSync(`/proc/${agent.pid}/task/${agent.pid}/children`, 'utf8'));
    process.kill(inside, 'SIGTERM');
    expect(await agent.exited).toBe(0);
  });
});

describe('a token file that is wrong ends it with 2', () => {
  const agent = (args: readonly string[]) =>
    runSvc(['agent', '--state-dir', program.path('state'), ...args], { cwd: program.folder });

  test('is missing', async () => {
    const { exitCode, stderr } = await agent(['--token-file', 'none']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error  the token file none does not exist\n',
    });
  });

  test.each(['640', '604', '622'])('one that others can use, with mode %s', async (mode) => {
    if (process.getuid?.() === 0) writeFileSync(program.path('ours'), program.token);
    const path = process.getuid?.() === 0 ? program.path('ours') : tokenFile;
    chmodSync(path, mode);
    const { exitCode, stderr } = await agent(['--token-file', path]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`has mode 0${mode}: other users can read or change it`);
    expect(stderr).toContain(`chmod 600 ${path}`);
  });

  test('has other content', async () => {
    writeFileSync(program.path('other'), 'svc_at_abc', { mode: 0o600 });
    const { exitCode, stderr } = await agent(['--token-file', program.path('other')]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`the token in ${program.path('other')} is not an agent token`);
  });

  test('one beside --token', async () => {
    const { exitCode, stderr } = await agent(['--token-file', tokenFile, '--token', program.token]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--token and --token-file cannot be combined');
  });
});
