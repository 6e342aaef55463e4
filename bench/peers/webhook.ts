import { join } from 'node:path';
import { output } from '../measure/program.ts';
import { freePort, orStop, type Server, stop, untilItAnswers } from './server.ts';

/** The commands that it offers, each by name. */
export type Hooks = Readonly<Record<string, readonly [string, ...string[]]>>;

/** adnanh/webhook as Debian packages it, or undefined where it is not installed. */
export async function startWebhook(
  hooks: Hooks,
  folder: string,
): Promise<(Server & { readonly pid: number }) | undefined> {
  const program = Bun.which('webhook');
  if (program === null) return undefined;
  const file = join(folder, 'hooks.json');
  await Bun.write(file, JSON.stringify(Object.entries(hooks).map(toHook)));
  const port = freePort();
  const argv = [program, '-hooks', file, '-ip', '127.0.0.1', '-port', String(port)];
  const child = Bun.spawn(argv, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const origin = `http://127.0.0.1:${port}`;
  await orStop(child, untilItAnswers(origin));
  return {
    description: `adnanh/webhook ${(await output([program, '-version'])).trim().replace('webhook version ', '')}`,
    url: `${origin}/hooks`,
    pid: child.pid,
    [Symbol.asyncDispose]: () => stop(child),
  };
}

function toHook([id, [program, ...args]]: [string, Hooks[string]]) {
  return {
    id,
    'execute-command': program,
    'pass-arguments-to-command': args.map((name) => ({ source: 'string', name })),
    'include-command-output-in-response': true,
  };
}
