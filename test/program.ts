import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const { SVC_BINARY } = process.env;

/** How `svc` is started: the source in a folder, else the binary that SVC_BINARY names, else the source here. */
function program(root: string | undefined): readonly string[] {
  if (root === undefined && SVC_BINARY) return [resolve(ROOT, SVC_BINARY)];
  return [process.execPath, join(root ?? ROOT, 'cli', 'svc.ts')];
}

export interface ProgramOptions {
  readonly cwd: string;
  /** Besides this process' own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** What starts it, such as `setpriv` with its options. */
  readonly wrapper?: readonly string[];
  /** Where the sources are, when they are not these. */
  readonly root?: string | undefined;
}

export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `svc` with these arguments. */
export function startSvc(args: readonly string[], { cwd, env, wrapper = [], root }: ProgramOptions) {
  return Bun.spawn([...wrapper, ...program(root), ...args], {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs `svc` with these arguments to its end. */
export async function runSvc(args: readonly string[], options: ProgramOptions): Promise<Finished> {
  const child = startSvc(args, options);
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

/** Without what this very test run was told by its environment. */
function environment(more: ProgramOptions['env']): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|BUN_|FORCE_COLOR$)/.test(name));
  return { ...Object.fromEntries(own), NO_COLOR: '1', ...more };
}
