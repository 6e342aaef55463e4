import { Command } from 'commander';
import { MEMBER_ENVIRONMENT, type ServiceOptions, withServiceOptions } from '../service/options.ts';
import type { AnyAction } from './action.ts';

/** A group of actions on one kind of thing, such as API keys. */
export interface Resource {
  readonly name: string;
  /** The lines below "Examples:". */
  readonly examples: readonly string[];
  /** More paragraphs, such as who may do what. */
  readonly notes?: readonly string[];
  readonly actions: readonly AnyAction[];
}

/** The subcommand of a resource, such as `svc keys`: every action calls the API as a member. */
export function resourceCommand({ name, examples, notes = [], actions }: Resource): Command {
  const command = new Command(name)
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', helpOf(examples, notes));
  for (const row of actions)
    command.addCommand(actionCommand(name, row), row.isDefault ? { isDefault: true } : {});
  return command;
}

function actionCommand(resource: string, row: AnyAction): Command {
  const command = new Command(row.name).description(row.summary).aliases([...(row.aliases ?? [])]);
  for (const [flags, description, reader] of row.arguments ?? [])
    if (reader === undefined) command.argument(flags, description);
    else command.argument(flags, description, reader as (value: string) => unknown);
  for (const [flags, description, reader] of row.options ?? [])
    if (reader === undefined) command.option(flags, description);
    else command.option(flags, description, reader as (value: string) => unknown);
  return withServiceOptions(command)
    .option('--json', row.json ?? 'print the answer of the service as JSON')
    .addHelpText('after', `\nExamples, environment and exit codes: see svc ${resource} --help.`)
    .action(async () => {
      const { runAction } = await import('./run-action.ts');
      await runAction(row, inputOf(command), command.opts<ServiceOptions>());
    });
}

/** Arguments and options in one object. */
function inputOf(command: Command): Record<string, unknown> {
  const named = command.registeredArguments.map((argument, index) => [
    camelCase(argument.name()),
    command.processedArgs[index],
  ]);
  return { ...command.opts(), ...Object.fromEntries(named) };
}

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function helpOf(examples: readonly string[], notes: readonly string[]): string {
  return [
    '',
    'Examples:',
    ...examples.map((line) => `  ${line}`),
    '',
    MEMBER_ENVIRONMENT,
    '',
    ...notes.flatMap((note) => [note, '']),
    'Exit codes:',
    '  0  success',
    '  1  the service did not respond',
    '  2  bad input, or the service refused: not found, not signed in, or not allowed',
  ].join('\n');
}
