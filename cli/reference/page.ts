import type { Command } from 'commander';

/** An argument, an option or a subcommand with its description. */
export interface PageRow {
  readonly term: string;
  readonly text: string;
}

/** A part of the help text with a heading, such as `Examples`. */
export interface PageSection {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The help of a command, as data for man pages and documents. */
export interface CommandPage {
  /** Such as `svc keys create`. */
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly arguments: readonly PageRow[];
  readonly options: readonly PageRow[];
  readonly subcommands: readonly PageRow[];
  readonly paragraphs: readonly string[];
  readonly sections: readonly PageSection[];
}

const HEADING = /^(Examples|Environment|Exit codes):$/;

/** The page of a command, and those of its subcommands behind it. */
export function pagesOf(command: Command, name = command.name()): CommandPage[] {
  const inner = visibleCommands(command);
  return [pageOf(command, name), ...inner.flatMap((one) => pagesOf(one, `${name} ${one.name()}`))];
}

function pageOf(command: Command, name: string): CommandPage {
  const help = command.createHelp();
  const blocks = afterText(command)
    .trim()
    .split('\n\n')
    .filter((block) => block !== '');
  const isSection = (block: string) => HEADING.test(block.split('\n')[0] ?? '');
  return {
    name,
    summary: command.description(),
    usage: `${name} ${command.usage()}`,
    arguments: help.visibleArguments(command).map((one) => ({
      term: help.argumentTerm(one),
      text: help.argumentDescription(one),
    })),
    options: help.visibleOptions(command).map((one) => ({
      term: help.optionTerm(one),
      text: help.optionDescription(one),
    })),
    subcommands: visibleCommands(command).map((one) => ({
      term: help.subcommandTerm(one),
      text: help.subcommandDescription(one),
    })),
    paragraphs: blocks.filter((block) => !isSection(block)),
    sections: blocks.filter(isSection).map((block) => {
      const [title = '', ...lines] = block.split('\n');
      return { title: title.slice(0, -1), lines };
    }),
  };
}

function visibleCommands(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');
}

/** The text that `addHelpText` has added: commander only prints it. */
function afterText(command: Command): string {
  let printed = '';
  const { writeOut } = command.configureOutput();
  command.configureOutput({ writeOut: (text) => (printed += text) });
  command.outputHelp();
  command.configureOutput({ ...(writeOut && { writeOut }) });
  return printed.slice(command.helpInformation().length);
}
