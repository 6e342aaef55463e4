import { VERSION } from '../version.ts';
import type { CommandPage, PageRow } from './page.ts';

const TITLES: Readonly<Record<string, string>> = {
  Examples: 'EXAMPLES',
  Environment: 'ENVIRONMENT',
  'Exit codes': 'EXIT STATUS',
};

/** The file name of a man page: `svc-keys-create.1`. */
export function manFile({ name }: Pick<CommandPage, 'name'>): string {
  return `${name.replaceAll(' ', '-')}.1`;
}

/** A man page in the macros of man(7). */
export function manPage(page: CommandPage): string {
  const title = page.name.replaceAll(' ', '-');
  const lines = [
    `.TH "${title.toUpperCase()}" "1" "" "svc ${VERSION}" "svc"`,
    '.SH NAME',
    `${escaped(title)} \\- ${escaped(page.summary)}`,
    '.SH SYNOPSIS',
    `.B ${escaped(page.usage)}`,
    ...rows('COMMANDS', page.subcommands),
    ...rows('ARGUMENTS', page.arguments),
    ...rows('OPTIONS', page.options),
    ...(page.paragraphs.length === 0 ? [] : ['.SH DESCRIPTION']),
    ...page.paragraphs.flatMap((paragraph) => ['.PP', ...paragraph.split('\n').map(escaped)]),
    ...page.sections.flatMap((section) => [
      `.SH ${TITLES[section.title] ?? section.title.toUpperCase()}`,
      '.nf',
      ...section.lines.map(escaped),
      '.fi',
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function rows(title: string, all: readonly PageRow[]): string[] {
  if (all.length === 0) return [];
  return [`.SH ${title}`, ...all.flatMap(({ term, text }) => ['.TP', `.B ${escaped(term)}`, escaped(text)])];
}

/** A line of roff in which every character stands for itself. */
function escaped(text: string): string {
  const plain = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll("'", '\\(aq');
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
