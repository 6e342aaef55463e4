import { hash } from 'node:crypto';
import { escapeHtml } from '@svc/core/html/escape-html';
import { PAGE_STYLE } from './style.ts';

/** The headers of every page behind a mailed link (decision 34): no caching, no referrer, no frames. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

const policies = new Map<string, string>();

/** No scripts, and only the page's own style, by its hash. */
function policyOf(style: string): string {
  const known = policies.get(style);
  if (known !== undefined) return known;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  policies.set(style, policy);
  return policy;
}

/**
 * The header of pages with forms. Browsers send the origin of a form in Sec-Fetch-Site, but only over https and to this
 * machine; elsewhere by Origin, which `no-referrer` would hide.
 */
export function formPolicy(hubUrl: string): Readonly<Record<string, string>> {
  const { protocol, hostname } = new URL(hubUrl);
  const isTrusted = protocol === 'https:' || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return { 'Referrer-Policy': isTrusted ? 'no-referrer' : 'same-origin' };
}

/** A small page without scripts. `body` is HTML, so foreign values in it must be escaped. */
export function page(
  title: string,
  body: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
) {
  return styledPage(
    { title, body: `<h1>${escapeHtml(title)}</h1>${body}`, style: PAGE_STYLE },
    status,
    headers,
  );
}

/** A page with its own style; `body` contains the heading. */
export function styledPage(
  { title, body, style }: { readonly title: string; readonly body: string; readonly style: string },
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escapeHtml(title)}</title><style>${style}</style></head>`,
    `<body><main><p class="svc">svc</p>${body}</main></body></html>`,
  ].join('\n');
  return new Response(html, {
    status,
    headers: { ...HEADERS, 'Content-Security-Policy': policyOf(style), ...headers },
  });
}
