import { unknownVariables } from '@svc/core/environment/variables';
import { Command, CommanderError } from 'commander';
import { adminCommand } from './commands/admin.ts';
import { agentCommand } from './commands/agent.ts';
import { approvalsCommand } from './commands/approvals.ts';
import { callCommand } from './commands/call.ts';
import { cancelCommand } from './commands/cancel.ts';
import { healthCommand } from './commands/health.ts';
import { hubCommand } from './commands/hub.ts';
import { initCommand } from './commands/init.ts';
import { loginCommand } from './commands/login.ts';
import { logoutCommand } from './commands/logout.ts';
import { logsCommand } from './commands/logs.ts';
import { pipelinesCommand } from './commands/pipelines.ts';
import { schedulesCommand } from './commands/schedules.ts';
import { secretsCommand } from './commands/secrets.ts';
import { serveCommand } from './commands/serve.ts';
import { upCommand } from './commands/up.ts';
import { validateCommand } from './commands/validate.ts';
import { EXIT, type ExitCode, Failure } from './failure.ts';
import { type Row, writeRows } from './terminal.ts';
import { VERSION } from './version.ts';

const HELP = `
Examples:
  svc init                 write a starter svc.yaml here
  svc up                   hub and agent on this machine: every endpoint has a URL, a key and a record of its calls
  svc call hello name=Ada  call one of them
  svc agent                connect the endpoints of this machine to a hub elsewhere
  svc serve                serve them without hub and without keys, on port 8080

Exit codes:
  0  it did what it was asked to
  1  something failed while it ran
  2  bad input: an option, a file or a port; nothing was done`;

/** Runs the program with these arguments; answers its exit code. */
export async function run(argv: readonly string[]): Promise<ExitCode> {
  try {
    await program().parseAsync(argv, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    return explain(error);
  }
}

function program(): Command {
  const root = new Command('svc')
    .description('Turn commands into HTTP endpoints that stream.')
    .version(VERSION, '-V, --version', 'show the version')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  const commands = [
    upCommand(),
    hubCommand(),
    healthCommand(),
    agentCommand(),
    callCommand(),
    logsCommand(),
    cancelCommand(),
    approvalsCommand(),
    pipelinesCommand(),
    schedulesCommand(),
    secretsCommand(),
    loginCommand(),
    logoutCommand(),
    adminCommand(),
    serveCommand(),
    initCommand(),
    validateCommand(),
  ];
  for (const command of commands) root.addCommand(command);
  for (const command of commands)
    if (WARNS_OF_VARIABLES.has(command.name())) command.hook('preAction', warnOfVariables);
  explainErrorsOf(root, 'svc');
  return root;
}

/** Those that read the environment and run on; `svc hub` says the same in its log. */
const WARNS_OF_VARIABLES: ReadonlySet<string> = new Set(['agent', 'call', 'serve', 'up']);

function warnOfVariables(): void {
  const warnings = unknownVariables(process.env);
  if (warnings.length === 0) return;
  writeRows(
    process.stderr,
    warnings.map((text) => ({ label: 'WARNING', text, tone: 'warning' })),
  );
}

/** Errors of usage are told like all others, by `explain`; help is none and goes where it always goes. */
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

/** What commander says in two lines, the second a suggestion in parentheses, in one. */
function usageFailure({ message }: CommanderError, tip: string): Failure {
  const [what = '', suggestion = ''] = message.replace(/^error: /, '').split('\n');
  const told = what.replace(/^command-argument value (.*) is invalid for argument '.*?'\. /s, '$1: ');
  const meant = suggestion.replace(/^\(D(.*)\)$/, ': d$1');
  return new Failure(`${told.replace(/\.$/, '')}${meant}`, { tip });
}

function explain(error: unknown): ExitCode {
  if (error instanceof Failure) return tell(error);
  if (!(error instanceof CommanderError)) return tellBug(error);
  // `svc` alone is answered with help, though it asked for nothing.
  return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
}

function tell({ details, message, tip, exitCode }: Failure): ExitCode {
  for (const line of details) process.stderr.write(`${line}\n`);
  const rows: Row[] = [{ label: 'error', text: message, tone: 'error' }];
  if (tip !== undefined) rows.push({ label: 'try', text: tip });
  writeRows(process.stderr, rows);
  return exitCode;
}

function tellBug(error: unknown): ExitCode {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`svc met a bug in itself. Please report it with what follows.\n${text}\n`);
  return EXIT.failed;
}
