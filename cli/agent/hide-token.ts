import { closeSync, readFileSync, writeSync } from 'node:fs';
import { type TokenKind, tokenKind } from '@svc/core/token/token';
import { execute, openInheritedPipe } from '../process/execute.ts';
import { writeRows } from '../terminal.ts';
import { forwardedCall } from './token-file.ts';

/** Whose tokens an agent may have. With another one it ends at once, and says what gave it. */
const AGENTS: ReadonlySet<TokenKind | undefined> = new Set(['agent_token', 'runner_token']);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Starts this program again in its own place, without the token, where the token came by the environment or the command line
 * (decision 59): the system shows both, as they were at the start, to every process of the user. The token goes over a pipe.
 *
 * Returns where there is nothing to hide, where the arguments or the token are wrong (which is reported later), and with a warning
 * where the system does not let it.
 */
export function hideToken(args: readonly string[]): void {
  const { token: option, rest } = withoutToken(args);
  if (option === undefined && !startedWithToken()) return;
  const { SVC_TOKEN, ...environment } = process.env;
  const hasFileOption = rest.some((arg) => /^--token-file(?:=|$)/.test(arg));
  if (option !== undefined && hasFileOption) return;
  const isFromFile = hasFileOption || Boolean(environment.SVC_TOKEN_FILE);
  const token = option ?? (isFromFile ? undefined : SVC_TOKEN);
  if (token === undefined || AGENTS.has(tokenKind(token.trim())))
    startAgain({ args, rest, environment, token });
}

interface SecondStart {
  readonly args: readonly string[];
  /** The arguments without the token. */
  readonly rest: readonly string[];
  readonly environment: Environment;
  /** Undefined where a file has it. */
  readonly token: string | undefined;
}

function startAgain({ args, rest, environment, token }: SecondStart): void {
  const line = commandLine();
  const argv = [...line.slice(0, line.length - args.length), ...rest];
  const pipe = token === undefined ? undefined : filledPipe(token);
  const handover = pipe === undefined ? {} : { SVC_TOKEN_FILE: forwardedCall(pipe) };
  if (token === undefined || pipe !== undefined)
    execute(process.execPath, argv, { ...environment, ...handover });
  if (pipe !== undefined) closeSync(pipe);
  const text =
    'other programs of this user can read the token in the list of processes: --token-file hides it';
  writeRows(process.stderr, [{ label: 'WARNING', text, tone: 'warning' }]);
}

/** The end of a pipe to read a text from. */
function filledPipe(text: string): number | undefined {
  const pipe = openInheritedPipe();
  if (pipe === undefined) return undefined;
  writeSync(pipe.writeEnd, text);
  closeSync(pipe.writeEnd);
  return pipe.readEnd;
}

/** What the last `--token` names, and all other arguments. */
function withoutToken(args: readonly string[]): {
  readonly token: string | undefined;
  readonly rest: readonly string[];
} {
  let token: string | undefined;
  const rest: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg.startsWith('--token=')) token = arg.slice('--token='.length);
    else if (arg === '--token' && at + 1 < args.length) token = args[++at];
    else rest.push(arg);
  }
  return { token, rest };
}

/** Whether the system shows a token in the environment that this program was started with. A file `.env` is not in there. */
function startedWithToken(): boolean {
  if (process.platform !== 'linux') {
    const { SVC_TOKEN, SVC_TOKEN_FILE = '' } = process.env;
    return SVC_TOKEN !== undefined && !SVC_TOKEN_FILE.startsWith('/dev/fd/');
  }
  return shownBySystem('environ').some((it) => it.startsWith('SVC_TOKEN='));
}

/** As it was given to the system: with the runtime and its options before the arguments. */
function commandLine(): string[] {
  const shown = shownBySystem('cmdline');
  if (shown.length > 0) return shown;
  const isBinary = Bun.main.startsWith('/$bunfs/');
  return [process.argv0, ...process.execArgv, ...process.argv.slice(isBinary ? 2 : 1)];
}

/** Empty where there is no such file or we may not read it: then other programs of our user may not either. */
function shownBySystem(file: 'environ' | 'cmdline'): string[] {
  try {
    return readFileSync(`/proc/self/${file}`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}
