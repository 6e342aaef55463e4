import { escapeHtml } from '@svc/core/html/escape-html';
import type { Cast } from './cast.ts';
import { runsOf } from './screen.ts';

/** A session as text for a page. A script plays the session (`tools/docs/browser/recording.ts`); without scripts all text is visible. */
export function recordingHtml(casts: readonly Cast[], caption: string): string {
  const terminals = casts.map(
    (cast) =>
      `<div class="terminal"><p>${escapeHtml(cast.title)}</p><pre tabindex="0"><code>${shownText(cast)}</code></pre></div>`,
  );
  return `<figure class="recording" id="recording"><div class="controls"></div>${terminals.join('')}<figcaption>${caption}</figcaption></figure>\n`;
}

/** The text of a recording, with the time of each piece. */
function shownText(cast: Cast): string {
  let html = '';
  let [shownMs, shownRow] = [-1, 0];
  for (const { row, text, tone, atMs } of runsOf(cast)) {
    if (atMs !== shownMs) html += `${shownMs < 0 ? '' : '</span>'}<span data-at="${atMs}">`;
    html += '\n'.repeat(row - shownRow);
    html += tone === undefined ? escapeHtml(text) : `<span class="${tone}">${escapeHtml(text)}</span>`;
    [shownMs, shownRow] = [atMs, row];
  }
  return `${html}</span>`;
}
