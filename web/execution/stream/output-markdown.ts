import type { StreamResult } from './event-reader.ts';

interface MarkdownParts {
  readonly slug: string;
  /** The page of the execution. */
  readonly url: string;
  readonly end: StreamResult['end'];
  /** Whole lines. */
  readonly text: string;
}

/** Output for an issue or a chat that takes Markdown: a link to the execution, how it ended, and the lines as a block. */
export function outputMarkdown({ slug, url, end, text }: MarkdownParts): string {
  const fence = fenceAround(text);
  return `[${slug}](${url}), ${endWords(end)}:\n\n${fence}text\n${text}${fence}\n`;
}

function endWords(end: StreamResult['end']): string {
  if (end === undefined) return 'still running';
  return end.kind === 'done' ? `exit code ${end.exitCode}` : end.error.replaceAll(/\s+/g, ' ');
}

/** Longer than every run of backticks in the text, which therefore cannot end the block. */
function fenceAround(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  return '`'.repeat(longest + 1);
}
