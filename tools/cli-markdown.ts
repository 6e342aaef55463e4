import { programWith } from '@svc/cli/program';
import { type CommandPage, type PageRow, pagesOf } from '@svc/cli/reference/page';

const INTRODUCTION = `# The command line

<!-- Made from the definitions of the subcommands by tools/generate-docs.ts. -->

This page has the text of \`svc help <command>\` for every command. \`svc man <command>\` prints the same as a man page, and
\`svc completion\` sets up your shell. With \`--json\`, output is JSON, and an error is one JSON object on standard error:
\`{"error", "code"}\` and, where they are known, \`status\`, \`details\`, \`execution_id\`, \`problems\` and \`try\`.
`;

/** docs/reference/cli.md: every subcommand from its definition. */
export async function cliMarkdown(): Promise<string> {
  const root = await programWith(() => true);
  const [main, ...pages] = pagesOf(root);
  if (main === undefined) throw new Error('the program has no page');
  const list = main.subcommands.map(({ term, text }) => {
    const name = term.split(' ')[0] ?? '';
    return `| [\`svc ${name}\`](#svc-${name}) | ${cell(text)} |`;
  });
  const overview = ['| Command | Does |', '| --- | --- |', ...list].join('\n');
  return `${[INTRODUCTION.trimEnd(), overview, ...pages.map(section)].join('\n\n')}\n`;
}

/** Options that all commands of a kind have. Only the first page of a subcommand lists them. */
const COMMON = /--help|--base-url|--context/;
const SEE_ABOVE = /^(?:Examples, e|E)nvironment(?: and exit codes)?: see svc .* --help\.$/;

function section(page: CommandPage): string {
  const depth = page.name.split(' ').length;
  const options = page.options.filter(({ term }) => !(depth > 2 ? COMMON : /--help/).test(term));
  const parts = [
    `${'#'.repeat(Math.min(depth, 4))} ${page.name}`,
    `${page.summary.charAt(0).toUpperCase()}${page.summary.slice(1)}.`,
    fenced([page.usage]),
    table('Argument', page.arguments),
    table('Option', options),
    ...page.sections.map(({ title, lines }) => `${title}:\n\n${fenced(lines)}`),
    ...page.paragraphs.filter((paragraph) => !SEE_ABOVE.test(paragraph)).map(escaped),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function fenced(lines: readonly string[]): string {
  return ['```text', ...lines.map((line) => line.replace(/^ {2}/, '')), '```'].join('\n');
}

function table(title: string, rows: readonly PageRow[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(({ term, text }) => `| \`${term.replaceAll('|', '\\|')}\` | ${cell(text)} |`);
  return [`| ${title} | Meaning |`, '| --- | --- |', ...lines].join('\n');
}

function cell(text: string): string {
  return escaped(text).replaceAll('|', '\\|');
}

/** Text in which nothing is Markdown. */
function escaped(text: string): string {
  return text.replaceAll(/[<*_]/g, (character) => `\\${character}`);
}
