import { realpathSync } from 'node:fs';

/** A shell that may be `/bin/sh` somewhere, and how it is started as one. */
export interface Shell {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
}

/** The program that runs commands in shell mode. */
export const SYSTEM_SHELL: Shell = { name: '/bin/sh', argv: ['/bin/sh'] };

const KNOWN: readonly Shell[] = [
  { name: 'dash', argv: ['dash'] },
  { name: 'bash', argv: ['bash', '--posix'] },
  { name: 'bash with its own syntax', argv: ['bash'] },
  { name: 'busybox', argv: ['busybox', 'sh'] },
  { name: 'zsh', argv: ['zsh', '--emulate', 'sh'] },
];

/** Further ones to try, as in SVC_TEST_SHELLS='/opt/yash,/opt/busybox sh'. */
const further = (process.env.SVC_TEST_SHELLS ?? '')
  .split(',')
  .filter((line) => line !== '')
  .map((line): Shell => {
    const [program = '', ...options] = line.split(' ');
    return { name: line, argv: [program, ...options] };
  });

/** The shells that this machine has; `/bin/sh` is most often one of the others, which then is not run twice. */
export const SHELLS: readonly Shell[] = [
  SYSTEM_SHELL,
  ...[...KNOWN, ...further].filter(({ argv }) => isInstalled(argv)),
];

function isInstalled([program, ...options]: Shell['argv']): boolean {
  const path = Bun.which(program);
  if (path === null) return false;
  return options.length > 0 || realpathSync(path) !== realpathSync(SYSTEM_SHELL.argv[0]);
}

export interface Ran {
  readonly stdout: string;
  readonly exitCode: number;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

const RUN_TIMEOUT_MS = 10_000;
/** Nothing of that name, not executable, and text without a shebang: what the generators name may be any file. */
const NOT_A_PROGRAM: ReadonlySet<unknown> = new Set(['ENOENT', 'EACCES', 'ENOEXEC']);

/** Runs a program to its end with empty input, or without input; stderr is ignored. */
export async function run(argv: readonly string[], options: RunOptions): Promise<Ran> {
  const child = start(argv, options);
  if (child === undefined) return { stdout: '', exitCode: 127 };
  const [bytes, exitCode] = await Promise.all([new Response(child.stdout).bytes(), child.exited]);
  return { stdout: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), exitCode };
}

function start(argv: readonly string[], { cwd, env }: RunOptions) {
  try {
    return Bun.spawn([...argv], {
      cwd,
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
      // A generated text that signals its process group reaches nothing but itself.
      detached: true,
      timeout: RUN_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOT_A_PROGRAM.has(error.code)) return undefined;
    throw error;
  }
}

/** The arguments that `printf '%s\0'` received. */
export function printedWords({ stdout }: Ran): string[] {
  return stdout.split('\0').slice(0, -1);
}
