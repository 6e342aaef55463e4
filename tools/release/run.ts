export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** Runs a program to its end and returns its output. Throws with its messages when it fails. */
export function run(argv: readonly string[], { cwd, env, stdin }: RunOptions = {}): string {
  const [program = ''] = argv;
  if (Bun.which(program) === null)
    throw new Error(`${program} is not installed: docs/internals/releasing.md names the Debian packages`);
  const { exitCode, stdout, stderr } = Bun.spawnSync([...argv], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'UTC', ...env },
    stdin: stdin === undefined ? 'ignore' : Buffer.from(stdin),
  });
  if (exitCode !== 0) throw new Error(`${argv.join(' ')} ended with ${exitCode}: ${stderr}`);
  return stdout.toString();
}
