import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingHtml } from '../recording/html.ts';
import { PICTURE_FILE, readRecording, recordingText } from '../recording/recording.ts';
import type { SiteLinks } from './links.ts';
import { type DocsPage, INDEX } from './pages.ts';
import { type RenderedPage, renderMarkdown, siteMarkdown } from './render.ts';

const README = 'README.md';
const CAPTION =
  'A real session at its real speed. Folder, port, user and keys are replaced, and a row about containers is left out. ' +
  '<code>SVC_API_KEY</code> and <code>SVC_BASE_URL</code> are what <code>svc up</code> printed.';
/** The heading that ends the opening of the README. */
const OPENING_END = /^## When not to use it$/m;

/** The start page of the site: the opening of README.md with the recording as text, then the tables of docs/README.md. */
export function landingPage(
  root: string,
  page: DocsPage,
  links: SiteLinks,
): { readonly rendered: RenderedPage; readonly markdown: string } {
  const casts = readRecording(root);
  const [before, after] = partsOfReadme(root);
  const opening = { ...page, source: README };
  const list = readFileSync(join(root, INDEX), 'utf8').replace(/^# .*\n/, '');
  const [first, second, third] = [
    renderMarkdown(opening, before, links),
    renderMarkdown(opening, after, links),
    renderMarkdown(page, list, links),
  ];
  const parts = [first, second, third];
  return {
    rendered: {
      html: `${first.html}${recordingHtml(casts, CAPTION)}${second.html}${third.html}`,
      headings: parts.flatMap(({ headings }) => headings),
      sections: parts.flatMap(({ sections }) => sections),
    },
    markdown: [
      siteMarkdown(opening, before, links),
      `\`\`\`\n${recordingText(casts)}\`\`\`\n`,
      siteMarkdown(opening, after, links),
      siteMarkdown(page, list, links),
    ].join('\n'),
  };
}

/** The opening, split at the picture of the session. Only GitHub shows the picture of the dashboard. */
function partsOfReadme(root: string): readonly [before: string, after: string] {
  const text = readFileSync(join(root, README), 'utf8');
  const opening = text
    .slice(0, OPENING_END.exec(text)?.index ?? 0)
    .replace(/<picture>[\s\S]*?<\/picture>\n/, '');
  const [before, after, ...more] = opening.split(new RegExp(`^!\\[[^\\]]*\\]\\(${PICTURE_FILE}\\)\\n`, 'm'));
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${README}: an opening with the picture ${PICTURE_FILE} expected`);
  return [before, after];
}
