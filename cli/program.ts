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
  svc up                   run hub and agent on this machine: each endpoint gets a URL, a key and a history
  svc call hello name=Ada  call an endpoint
  svc agent                connect the endpoints of this machine to a hub
  svc serve                serve the endpoints without hub and keys, on port 8080

Exit codes:
  0  success
  1  a failure at run time
  2  bad input: an option, a file or a port; nothing was done`;

/** Runs the program with these arguments. Returns its exit code. */
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

/** The subcommands that warn of unknown variables; `svc hub` does so in its log. */
const WARNS_OF_VARIABLES: ReadonlySet<string> = new Set(['agent', 'call', 'serve', 'up']);

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
  const problem = what.replace(/^command-argument value (.*) is invalid for argument '.*?'\. /s, '$1: ');
  const meant = suggestion.replace(/^\(D(.*)\)$/, ': d$1');
  return new Failure(`${problem.replace(/\.$/, '')}${meant}`, { tip });
}

function explain(error: unknown): ExitCode {
  if (error instanceof Failure) return printFailure(error);
  if (!(error instanceof CommanderError)) return printBug(error);
  // `svc` without a subcommand prints help, which is bad input.
  return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
}

function printFailure({ details, message, tip, exitCode }: Failure): ExitCode {
  for (const line of details) process.stderr.write(`${line}\n`);
  const rows: Row[] = [{ label: 'error', text: message, tone: 'error' }];
  if (tip !== undefined) rows.push({ label: 'try', text: tip });
  writeRows(process.stderr, rows);
  return exitCode;
}

function printBug(error: unknown): ExitCode {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`This is a bug in svc. Please report it with the following text.\n${text}\n`);
  return EXIT.failed;
}
