import { escapeHtml } from '@svc/core/html/escape-html';
import type { Cast } from './cast.ts';
import { type Run, runsOf } from './screen.ts';

/** All sizes are in pixels. */
const [CHARACTER, LINE, PADDING, TITLE, GAP] = [7.8, 18, 14, 30, 14];

const THEME = {
  light: { window: '#fdfcfa', edge: '#d3d0c9', ink: '#1f2328', soft: '#5b6067', label: '#05694b' },
  dark: { window: '#15191d', edge: '#3a4047', ink: '#e8e6e1', soft: '#a0a6ad', label: '#5fd0a5' },
} as const;

/**
 * An SVG of a session, with real text, that plays once and then stands still. Readers who prefer less motion, and programs without
 * CSS, get the last screen at once.
 */
export function pictureOf(casts: readonly Cast[], description: string): string {
  const columns = Math.max(...casts.map((cast) => cast.columns));
  const width = Math.ceil(columns * CHARACTER) + 2 * PADDING;
  const times = new Set<number>();
  let top = 0;
  const windows = casts.map((cast) => {
    const runs = runsOf(cast);
    for (const { atMs } of runs) times.add(atMs);
    const height = TITLE + (Math.max(...runs.map(({ row }) => row)) + 1) * LINE + 2 * PADDING;
    const drawn = windowOf(cast.title, runs, { top, width, height });
    top += height + GAP;
    return drawn;
  });
  const height = top - GAP;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="d">
<title id="d">${escapeHtml(description)}</title>
<style>${styleOf([...times])}</style>
${windows.join('\n')}
</svg>
`;
}

interface Place {
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

function windowOf(title: string, runs: readonly Run[], { top, width, height }: Place): string {
  const { light } = THEME;
  const texts = runs.map(({ row, column, text: spaced, tone, atMs }) => {
    // Some programs drop spaces at the ends.
    const text = spaced.trim();
    const x = round(PADDING + (column + spaced.length - spaced.trimStart().length) * CHARACTER);
    const y = top + TITLE + PADDING + row * LINE + 13;
    const length = round(text.length * CHARACTER);
    const kind = tone === undefined ? '' : ' l';
    const fill = tone === undefined ? '' : ` fill="${light.label}"`;
    if (text === '') return '';
    return `<text class="${nameOf(atMs)}${kind}"${fill} x="${x}" y="${y}" textLength="${length}">${escapeHtml(text)}</text>`;
  });
  return `<rect class="w" x=".5" y="${top + 0.5}" width="${width - 1}" height="${height - 1}" rx="6" fill="${light.window}" stroke="${light.edge}"/>
<text class="s" x="${PADDING}" y="${top + 21}" fill="${light.soft}" font-family="sans-serif" font-size="13">${escapeHtml(title)}</text>
<g fill="${light.ink}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">
${texts.filter((text) => text !== '').join('\n')}
</g>`;
}

function styleOf(times: readonly number[]): string {
  const rules = times.map((atMs) => `.${nameOf(atMs)}{animation-delay:${atMs}ms}`);
  const { dark } = THEME;
  return [
    '@keyframes a{from{opacity:0}to{opacity:0}}',
    // Until its time has come, a text has the style of the first frame; then it has its own style.
    `@media (prefers-reduced-motion:no-preference){g text{animation:a 1ms backwards}${rules.join('')}}`,
    `@media (prefers-color-scheme:dark){.w{fill:${dark.window};stroke:${dark.edge}}.s{fill:${dark.soft}}g{fill:${dark.ink}}.l{fill:${dark.label}}}`,
  ].join('');
}

function nameOf(atMs: number): string {
  return `t${atMs}`;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
