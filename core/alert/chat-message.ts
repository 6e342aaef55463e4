import { shownValue } from './shown-value.ts';
import type { AlertWords } from './words.ts';

/** A message for chats that accept Slack messages. */
export interface ChatMessage {
  readonly text: string;
  readonly blocks: readonly ChatBlock[];
  readonly unfurl_links: false;
  readonly unfurl_media: false;
}

interface ChatBlock {
  readonly type: 'section';
  /** `verbatim`: nothing in it becomes a link or a mention by itself. */
  readonly text: { readonly type: 'mrkdwn'; readonly text: string; readonly verbatim: true };
}

const MAX_VALUE_CHARS = 500;
/** A section holds 3,000 characters. */
const MAX_COMMAND_CHARS = 2_000;

/** One message: the title, the facts, and one link, that to the page. */
export function chatMessage({ title, facts, action }: AlertWords, link: string | undefined): ChatMessage {
  const lines = facts.map(([label, value]) => `${label}: ${codeOf(label, value)}`);
  // Some clients show only `text`, some only the blocks.
  const more = link === undefined ? [] : [`<${linkOf(link)}|${action}>`];
  return {
    text: [`*${title}*`, ...lines, ...more].join('\n'),
    blocks: [`*${title}*`, ...lines, ...more].map(section),
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** In code format nothing is a link, a mention or markup, here and in chats that read Markdown. */
function codeOf(label: string, value: string): string {
  const max = label === 'Command' ? MAX_COMMAND_CHARS : MAX_VALUE_CHARS;
  return `\`${shownValue(value, max, (text) => escaped(text).replaceAll('`', 'ˋ'))}\``;
}

/** Escapes the three special characters of Slack messages. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes the characters that would end the address inside `<…|…>`. */
function linkOf(url: string): string {
  return escaped(url).replaceAll('|', '%7C');
}

function section(text: string): ChatBlock {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}
