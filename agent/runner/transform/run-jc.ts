import { LIMITS } from '@svc/core/plan/limits';

/** The folders of the system: the worker that runs this has no PATH of its own. */
const PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin';

/** Less than a transform may take: a worker that is killed first would leave jc running. */
const JC_MS = LIMITS.transformMs * 0.8;

/** `text` is the JSON that jc printed. */
export type JcResult =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Reads a command's output with the program jc, which must be installed on this machine (`parse: jc`). */
export async function runJc(parser: string, text: string, path = PATH): Promise<JcResult> {
  const program = Bun.which('jc', { PATH: path });
  if (program === null)
    return failed('the program jc is not installed on this machine (Debian and Homebrew have it as jc)');
  const jc = Bun.spawn({
    cmd: [program, '--quiet', `--${parser}`],
    cwd: '/',
    env: { PATH: path, LC_ALL: 'C.UTF-8' },
    stdin: new TextEncoder().encode(text),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: JC_MS,
    killSignal: 'SIGKILL',
    maxBuffer: LIMITS.transformResultBytes,
  });
  const [printed, complaint, exitCode] = await Promise.all([
    new Response(jc.stdout).text(),
    new Response(jc.stderr).text(),
    jc.exited,
  ]);
  if (exitCode === 0) return { kind: 'read', text: printed };
  return failed(complaint.trim().split('\n').at(-1) || `it ended with ${jc.signalCode ?? exitCode}`);
}

function failed(reason: string): JcResult {
  return { kind: 'failed', reason: `jc: ${reason}` };
}
