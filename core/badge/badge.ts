export type BadgeStatus = 'online' | 'offline' | 'unknown user';

const COLOURS: Readonly<Record<BadgeStatus, string>> = {
  online: '#2c7a3f',
  offline: '#6b7280',
  'unknown user': '#b42318',
};
const LABEL = 'agent';
/** Measured for 11 px Verdana; `textLength` makes every renderer keep to it. */
const WIDTHS: Readonly<Record<BadgeStatus | typeof LABEL, number>> = {
  agent: 34,
  online: 36,
  offline: 38,
  'unknown user': 76,
};
const PADDING = 6;

/** The status badge of reference 4.1 and decision 52, the badge, as an SVG document; nothing in it comes from the request. */
export function badgeSvg(status: BadgeStatus): string {
  const left = WIDTHS[LABEL] + 2 * PADDING;
  const right = WIDTHS[status] + 2 * PADDING;
  const width = left + right;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${LABEL}: ${status}">`,
    `<title>${LABEL}: ${status}</title>`,
    `<clipPath id="r"><rect width="${width}" height="20" rx="3"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${left}" height="20" fill="#3f4652"/>`,
    `<rect x="${left}" width="${right}" height="20" fill="${COLOURS[status]}"/></g>`,
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" text-anchor="middle">',
    text(LABEL, left / 2, WIDTHS[LABEL]),
    text(status, left + right / 2, WIDTHS[status]),
    '</g></svg>',
  ].join('');
}

function text(content: string, x: number, length: number): string {
  return `<text x="${x}" y="14" textLength="${length}">${content}</text>`;
}
