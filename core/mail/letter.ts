import { escapeHtml } from '../html/escape-html.ts';

/** A mail before layout. All parts are plain text. */
export interface Letter {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The link of the mail, if any: a button in HTML, an address on a line of its own in text. */
  readonly action?: { readonly label: string; readonly url: string };
  /** Further notes in smaller print. */
  readonly notes?: readonly string[];
}

export interface LaidOut {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const TEXT_WIDTH = 72;

const BODY = 'margin:0;padding:24px;background:#f4f5f7;color:#1c2024;font:16px/1.5 system-ui,sans-serif';
const CARD = 'max-width:520px;margin:0 auto;padding:24px 32px;background:#ffffff;border-radius:8px';
const BUTTON =
  'display:inline-block;padding:10px 20px;border-radius:6px;background:#1c2024;color:#ffffff;text-decoration:none';
const SMALL = 'color:#5b6168;font-size:14px';

/**
 * The HTML and text forms of a letter, with the same content. The HTML loads and runs nothing, and every value is escaped.
 */
export function layOutLetter({ subject, paragraphs, action, notes = [] }: Letter): LaidOut {
  const text = [
    ...paragraphs.map(wrapped),
    // The address stands alone on its line, so that mail programs make a link of it.
    ...(action === undefined ? [] : [`${action.label}:\n${action.url}`]),
    ...notes.map(wrapped),
  ];
  const html = [
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...(action === undefined ? [] : [buttonHtml(action)]),
    ...notes.map((note) => `<p style="${SMALL}">${escapeHtml(note)}</p>`),
  ];
  return { subject, text: `${text.join('\n\n')}\n`, html: documentHtml(subject, html.join('\n')) };
}

/** Some mail programs show no buttons, so the address follows below. */
function buttonHtml({ label, url }: NonNullable<Letter['action']>): string {
  const href = escapeHtml(url);
  return [
    `<p><a href="${href}" style="${BUTTON}">${escapeHtml(label)}</a></p>`,
    `<p style="${SMALL};word-break:break-all">${href}</p>`,
  ].join('\n');
}

function documentHtml(title: string, body: string): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>`,
    `<body style="${BODY}"><div style="${CARD}">`,
    body,
    '</div></body>',
    '</html>',
    '',
  ].join('\n');
}

function wrapped(paragraph: string): string {
  const lines: string[] = [];
  for (const word of paragraph.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= TEXT_WIDTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}
