import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingHtml } from '../recording/html.ts';
import { PICTURE_FILE, readRecording, recordingText } from '../recording/recording.ts';
import type { SiteLinks } from './links.ts';
import { type DocsPage, INDEX } from './pages.ts';
import { type RenderedPage, renderMarkdown, siteMarkdown } from './render.ts';

const README = 'README.md';
const CAPTION =
  'A real session, with its times. The folder, the port, the user and the keys were replaced, and a row about containers is left out; ' +
  '<code>SVC_API_KEY</code> and <code>SVC_BASE_URL</code> are what <code>svc up</code> printed.';
/** The README says until here what svc is, for whom, and how to start. */
const OPENING_END = /^## When not to use it$/m;

/** The first page of the site: the opening of README.md with the recording as text, then the tables of docs/README.md. */
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

/** The opening, cut where the picture of the session is. The picture of the dashboard stays on GitHub. */
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
