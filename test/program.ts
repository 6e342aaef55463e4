import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const { SVC_BINARY } = process.env;

/** How `svc` is started: the source in a folder, else the binary that SVC_BINARY names, else the source here. */
export function program(root?: string): readonly string[] {
  if (root === undefined && SVC_BINARY) return [resolve(ROOT, SVC_BINARY)];
  return [process.execPath, join(root ?? ROOT, 'cli', 'svc.ts')];
}

export interface ProgramOptions {
  readonly cwd: string;
  /** Besides this process' own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program that starts it, such as `setpriv` with its options. */
  readonly wrapper?: readonly string[];
  /** A file for its standard input; absent: none. */
  readonly stdin?: string;
  /** Where the sources are, when they are not these. */
  readonly root?: string | undefined;
}

export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `svc` with these arguments. */
export function startSvc(args: readonly string[], { cwd, env, wrapper = [], stdin, root }: ProgramOptions) {
  return Bun.spawn([...wrapper, ...program(root), ...args], {
    cwd,
    env: environment(env),
    stdio: [stdin === undefined ? 'ignore' : Bun.file(stdin), 'pipe', 'pipe'],
  });
}

/** The text that a person types on the terminal once it shows a text. */
export interface Typing {
  readonly after: string;
  readonly typed: string;
  /** A signal stops the program once it shows the last text. */
  readonly thenStop?: true;
}

/**
 * Runs `svc` on a terminal until it ends; answers what the terminal was sent. `typing`: what a person types, or `stop` for a
 * program that a signal stops once it shows the last text.
 */
export async function svcOnTerminal(
  args: readonly string[],
  { cwd, env, root }: ProgramOptions,
  last: string,
  typing?: Typing | 'stop',
): Promise<string> {
  const { promise: isShown, resolve: shown } = Promise.withResolvers<void>();
  let text = '';
  let hasTyped = false;
  const decoder = new TextDecoder();
  await using terminal = new Bun.Terminal({
    cols: 200,
    rows: 50,
    data(self, bytes) {
      text += decoder.decode(bytes, { stream: true });
      if (typeof typing === 'object' && !hasTyped && text.includes(typing.after)) {
        hasTyped = true;
        self.write(typing.typed);
      }
      if (text.includes(last)) shown();
    },
  });
  const child = Bun.spawn([...program(root), ...args], { cwd, env: environment(env), terminal });
  await isShown;
  if (typing === 'stop' || typing?.thenStop) child.kill('SIGTERM');
  await child.exited;
  return text;
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

/** The environment without the variables of this test run. */
function environment(more: ProgramOptions['env']): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|BUN_|FORCE_COLOR$)/.test(name));
  return { ...Object.fromEntries(own), NO_COLOR: '1', ...more };
}
