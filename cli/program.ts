import { unknownVariables } from '@svc/core/environment/variables';
import { Command, CommanderError } from 'commander';
import { COMMANDS } from './commands.ts';
import { EXIT, type ExitCode, Failure } from './failure.ts';
import { type FactRow, writeRows } from './terminal.ts';
import { VERSION } from './version.ts';

const HELP = `
Examples:
  svc init                 write a starter svc.yaml here
  svc up                   run hub and agent on this machine: each endpoint gets a URL, a key and a history
  svc call hello name=Ada  call an endpoint
  svc agent                connect the endpoints of this machine to a hub
  svc serve                serve the endpoints without hub and keys, on port 8080

Exit codes:
  0  success
  1  a failure at run time
  2  bad input: an option, a file or a port; nothing was done`;

/** Other words for the subcommands, which people type first. */
const SYNONYMS: Readonly<Record<string, string>> = {
  auth: 'login',
  config: 'explain',
  contexts: 'context',
  doctor: 'health',
  exec: 'call',
  gallery: 'templates',
  history: 'logs',
  invite: 'team invite',
  kill: 'cancel',
  ls: 'endpoints',
  members: 'team',
  ps: 'logs',
  run: 'call',
  signin: 'login',
  start: 'up',
  status: 'health',
  stop: 'cancel',
  tail: 'logs',
  users: 'admin users',
  whoami: 'context',
};

/** Runs the program with these arguments. Returns its exit code. */
export async function runCli(argv: readonly string[]): Promise<ExitCode> {
  try {
    await (await program(argv)).parseAsync(argv, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    return explain(error, wantsJson(argv));
  }
}

/** The program with the subcommand of these arguments; every other subcommand is only a name and a summary. */
async function program(argv: readonly string[]): Promise<Command> {
  const words = argv.filter((word) => !word.startsWith('-'));
  const wanted = words[0] === 'help' ? words[1] : words[0];
  return await programWith((name) => name === wanted || NEED_ALL.has(wanted ?? ''));
}

/** The subcommands that read the definitions of all others. */
const NEED_ALL: ReadonlySet<string> = new Set(['completion', 'man']);

/** The program with these subcommands loaded. */
export async function programWith(isLoaded: (name: string) => boolean): Promise<Command> {
  const root = new Command('svc')
    .description('Turn commands into HTTP endpoints that stream.')
    .version(VERSION, '-V, --version', 'show the version')
    // `svc agent install --name x`: the option belongs to install, although svc agent has one of the same name.
    .enablePositionalOptions()
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  for (const { name, summary, load } of COMMANDS) {
    const command = isLoaded(name) ? await load() : new Command(name);
    if (NEEDS_UNIX.has(name)) command.hook('preAction', () => refuseOnWindows(name));
    if (WARNS_OF_VARIABLES.has(name)) command.hook('preAction', warnOfVariables);
    root.addCommand(command.description(summary));
  }
  explainErrorsOf(root, 'svc');
  return root;
}

/** Whether errors are printed as JSON. Words after `--` are values. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json');
}

/** The subcommands that warn of unknown variables; `svc hub` does so in its log. */
const WARNS_OF_VARIABLES: ReadonlySet<string> = new Set(['agent', 'call', 'serve', 'up']);

/** The subcommands that run commands or keep data. */
const NEEDS_UNIX: ReadonlySet<string> = new Set(['admin', 'agent', 'hub', 'serve', 'up']);

function refuseOnWindows(name: string): void {
  if (process.platform !== 'win32') return;
  throw new Failure(`svc ${name} is not supported on Windows yet: Linux or macOS expected`, {
    tip: 'svc call, which runs the endpoints of other machines',
  });
}

function warnOfVariables(): void {
  const warnings = unknownVariables(process.env);
  if (warnings.length === 0) return;
  writeRows(
    process.stderr,
    warnings.map((text) => ({ label: 'WARNING', text, tone: 'warning' })),
  );
}

/** Usage errors become failures, which `explain` prints; help is printed by commander. */
function explainErrorsOf(command: Command, name: string): void {
  for (const inner of command.commands) explainErrorsOf(inner, `${name} ${inner.name()}`);
  command
    .helpOption('-h, --help', 'show help')
    .configureOutput({ outputError: () => {} })
    .exitOverride((error) => {
      throw error.exitCode === 0 || error.code === 'commander.help'
        ? error
        : usageFailure(error, `${name} --help`);
    });
}

/** Joins the message of commander and the suggestion on its second line. */
function usageFailure({ message }: CommanderError, tip: string): Failure {
  const [what = '', suggestion = ''] = message.replace(/^error: /, '').split('\n');
  const [, word = ''] = /^unknown command '(.*)'$/.exec(what) ?? [];
  const synonym = tip === 'svc --help' && Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined;
  const problem = what.replace(/^command-argument value (.*) is invalid for argument '.*?'\. /s, '$1: ');
  const meant =
    synonym === undefined ? suggestion.replace(/^\(D(.*)\)$/, ': d$1') : `: did you mean ${synonym}?`;
  return new Failure(`${problem.replace(/\.$/, '')}${meant}`, { tip, code: 'usage' });
}

function explain(error: unknown, asJson: boolean): ExitCode {
  if (error instanceof Failure) return printFailure(error, asJson);
  if (!(error instanceof CommanderError)) return printBug(error);
  // `svc` without a subcommand prints help, which is bad input.
  return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
}

function printFailure(failure: Failure, asJson: boolean): ExitCode {
  const { details, message, tip, exitCode } = failure;
  if (asJson) {
    process.stderr.write(`${JSON.stringify(failure)}\n`);
    return exitCode;
  }
  for (const line of details) process.stderr.write(`${line}\n`);
  const rows: FactRow[] = [{ label: 'error', text: message, tone: 'error' }];
  if (tip !== undefined) rows.push({ label: 'try', text: tip });
  writeRows(process.stderr, rows);
  return exitCode;
}

function printBug(error: unknown): ExitCode {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`This is a bug in svc. Please report it with the following text.\n${text}\n`);
  return EXIT.failed;
}
