import { hash } from 'node:crypto';
import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import { Refusal, refuse } from '@svc/core/refusal';
import { raw } from 'hono/html';
import tokens from '../../../web/design/tokens.css' with { type: 'text' };
import { type Html, html } from './html.ts';

/** The headers of every page behind a link (decision 34, links that act): no cache, no referrer, no shared window. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

const policies = new Map<string, string>();

/** Allows no script, the fonts of the dashboard, and only the style of the page, by its hash. */
function policyOf(style: string): string {
  const known = policies.get(style);
  if (known !== undefined) return known;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "font-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  policies.set(style, policy);
  return policy;
}

/**
 * The header of pages with forms. Over https and on loopback browsers send Sec-Fetch-Site with a form. Otherwise they send
 * only Origin, which `no-referrer` would hide.
 */
export function formPolicy(hubUrl: string): Readonly<Record<string, string>> {
  const { protocol, hostname } = new URL(hubUrl);
  const isTrusted = protocol === 'https:' || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return { 'Referrer-Policy': isTrusted ? 'no-referrer' : 'same-origin' };
}

/** A page without scripts. */
export function page(
  title: string,
  body: Html,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
) {
  return styledPage({ title, body: html`<h1>${title}</h1>${body}`, style: PAGE_STYLE }, status, headers);
}

/** The mark of the dashboard. */
const LOGO = html`<svg viewBox="0 0 16 16" aria-hidden="true"><rect width="16" height="16" rx="3"/><path d="m4 4.5 3.5 3.5L4 11.5M8.5 11.5H12"/></svg>`;

/** A page with its own style; `body` includes the heading. */
export function styledPage(
  { title, body, style }: { readonly title: string; readonly body: Html; readonly style: string },
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const document = html`<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>${raw(style)}</style></head>
<body><main><p class="svc">${LOGO}svc</p>${body}</main></body></html>`;
  return new Response(document.toString(), {
    status,
    headers: { ...HEADERS, 'Content-Security-Policy': policyOf(style), ...headers },
  });
}

/** A font of the dashboard. Until it is loaded, the browser shows the text in a font of its machine. */
function fontFace(family: string, weight: number): string {
  const file = `${family.toLowerCase().replaceAll(' ', '-')}-latin-${weight}-normal.woff2`;
  return `@font-face{font-family:"${family}";font-weight:${weight};font-display:swap;src:url(/assets/${file}) format("woff2")}`;
}

/** The style of every page without scripts; mobile first. */
export const PAGE_STYLE = `${tokens}
${fontFace('IBM Plex Sans', 400)}${fontFace('IBM Plex Sans', 600)}${fontFace('IBM Plex Mono', 400)}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.45 var(--sans);font-variant-numeric:tabular-nums}
main{max-width:30rem;margin:0 auto;padding:24px 16px 48px}
.svc{display:flex;align-items:center;gap:12px;font:600 16px/1 var(--mono);margin:0 0 24px}
.svc svg{width:20px}.svc rect{fill:var(--accent)}.svc path{fill:none;stroke:var(--on-accent);stroke-width:1.75}
@media (min-width:40rem){main{margin:10vh auto 48px;padding:32px;background:var(--raised);border-radius:var(--radius)}}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 8px;overflow-wrap:anywhere}
h2{font-size:.875rem;font-weight:600;color:var(--soft);margin:24px 0 4px}
p{margin:8px 0;overflow-wrap:anywhere}
a{color:var(--accent)}
pre,code{font:14px/1.5 var(--mono);font-variant-ligatures:none}
.note{color:var(--soft);font-size:.875rem}
form{margin:16px 0}
label{display:block;margin:16px 0;font-size:.875rem;font-weight:600}
input,select,textarea{display:block;width:100%;min-height:48px;margin-top:4px;font:inherit;font-weight:400;color:inherit;
background:var(--raised);border:1px solid var(--edge);border-radius:var(--radius);padding:8px}
textarea{font-size:1rem}
button{width:100%;min-height:48px;font:inherit;font-weight:600;border-radius:var(--radius);border:1px solid var(--accent);
background:var(--accent);color:var(--on-accent);cursor:pointer;margin-top:8px}
a.button{display:block;min-height:48px;padding:12px;text-align:center;font-weight:600;text-decoration:none;
border-radius:var(--radius);border:1px solid var(--accent);background:var(--accent);color:var(--on-accent)}
button.deny{background:none;border-color:var(--bad);color:var(--bad)}
button.other{background:var(--raised);border-color:var(--edge);color:var(--ink)}
[role=alert]{border-left:4px solid var(--bad);background:var(--bad-wash);padding:8px 12px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
`;

/** Lets the forms of a page also lead to the place of this URI, as the answer to a form redirects there. */
export function formsMayLeadTo(response: Response, uri: string): Response {
  const { origin, protocol } = new URL(uri);
  const place = protocol === 'https:' || protocol === 'http:' ? origin : protocol;
  const policy = response.headers.get('Content-Security-Policy') ?? '';
  response.headers.set(
    'Content-Security-Policy',
    policy.replace("form-action 'self'", `form-action 'self' ${place}`),
  );
  return response;
}

/** Lets a page run this one inline script, by its hash, which may send requests to this hub. */
export function mayRunScript(response: Response, script: string): Response {
  const policy = response.headers.get('Content-Security-Policy') ?? '';
  const allowed = `script-src 'sha256-${hash('sha256', script, 'base64')}'; connect-src 'self'`;
  response.headers.set('Content-Security-Policy', `${policy}; ${allowed}`);
  return response;
}

/** Shows a refusal as a page with this title; `next` is what the page offers then. */
export async function onPage(title: string, show: () => Promise<Response>, next?: Html): Promise<Response> {
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { retry_after_s: retryAfterSec } = error.details;
    const headers = retryAfterSec === undefined ? {} : { 'Retry-After': String(Number(retryAfterSec)) };
    return page(title, html`<p>${error.message}.</p>${next}`, REFUSAL_STATUS[error.code], headers);
  }
}

const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
/** The size limit of a form; ours are far smaller. */
const MAX_BYTES = 16 * 1024;

/** The fields of a form from one of our pages. */
export async function readPageForm(request: Request): Promise<URLSearchParams> {
  if (!FORM.test(request.headers.get('content-type') ?? ''))
    throw refuse('unsupported_media_type', 'a form of this page expected');
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) throw refuse('payload_too_large', `the form is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
