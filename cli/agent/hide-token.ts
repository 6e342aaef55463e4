import { closeSync, readFileSync, writeSync } from 'node:fs';
import { type TokenKind, tokenKind } from '@svc/core/token/token';
import { execute, openInheritedPipe } from '../process/execute.ts';
import { writeRows } from '../terminal.ts';
import { inheritedPath } from './token-file.ts';

/** The kinds of tokens that an agent accepts. With another kind it ends at once with an error. */
const AGENTS: ReadonlySet<TokenKind | undefined> = new Set(['agent_token', 'runner_token']);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Replaces this process by itself without the token, if the token is in the environment or the command line (decision 59,
 * the agent's token stays with the agent): the system shows both to every process of the user. A pipe passes the token on.
 *
 * Returns if there is nothing to hide, if the arguments or the token are wrong (which is reported later), and with a
 * warning if the system does not allow the replacement.
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
  /** Undefined: the token is in a file. */
  readonly token: string | undefined;
}

function startAgain({ args, rest, environment, token }: SecondStart): void {
  const line = commandLine();
  const argv = [...line.slice(0, line.length - args.length), ...rest];
  const pipe = token === undefined ? undefined : filledPipe(token);
  const handover = pipe === undefined ? {} : { SVC_TOKEN_FILE: inheritedPath(pipe) };
  if (token === undefined || pipe !== undefined)
    execute(process.execPath, argv, { ...environment, ...handover });
  if (pipe !== undefined) closeSync(pipe);
  const text =
    'other programs of this user can read the token in the process list; use --token-file to hide it';
  writeRows(process.stderr, [{ label: 'WARNING', text, tone: 'warning' }]);
}

/** Writes a text into a pipe and returns its read end. */
function filledPipe(text: string): number | undefined {
  const pipe = openInheritedPipe();
  if (pipe === undefined) return undefined;
  writeSync(pipe.writeEnd, text);
  closeSync(pipe.writeEnd);
  return pipe.readEnd;
}

/** The value of the last `--token`, and all other arguments. */
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

/** Whether the initial environment of this process, which the system shows, has a token. A file `.env` is not part of it. */
function startedWithToken(): boolean {
  if (process.platform !== 'linux') {
    const { SVC_TOKEN, SVC_TOKEN_FILE = '' } = process.env;
    return SVC_TOKEN !== undefined && !SVC_TOKEN_FILE.startsWith('/dev/fd/');
  }
  return shownBySystem('environ').some((it) => it.startsWith('SVC_TOKEN='));
}

/** The whole command line: the runtime and its options come before the arguments. */
function commandLine(): string[] {
  const shown = shownBySystem('cmdline');
  if (shown.length > 0) return shown;
  const isBinary = Bun.main.startsWith('/$bunfs/');
  return [process.argv0, ...process.execArgv, ...process.argv.slice(isBinary ? 2 : 1)];
}

/** Empty if the file is missing or unreadable; other programs of this user then cannot read it either. */
function shownBySystem(file: 'environ' | 'cmdline'): string[] {
  try {
    return readFileSync(`/proc/self/${file}`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}
