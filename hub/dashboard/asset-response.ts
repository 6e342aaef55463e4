import { type Asset, CODINGS } from './asset-pack.ts';

/**
 * The content security policy of the dashboard: only resources of this hub. There is no inline script or style;
 * scripts set computed styles through the DOM, which the policy allows.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' } as const;

/** The page itself is never cached, because it names the current files. */
export function pageResponse(asset: Asset, request: Request): Response {
  return response(asset, request, {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
  });
}

export function assetResponse(asset: Asset, request: Request): Response {
  return response(asset, request, FOREVER);
}

function response(
  { type, bytes }: Asset,
  { headers }: Request,
  more: Readonly<Record<string, string>>,
): Response {
  const accepted = acceptedCodings(headers.get('accept-encoding') ?? '');
  const coding = CODINGS.find((one) => bytes[one] !== undefined && accepted.has(one)) ?? 'identity';
  return new Response(bytes[coding], {
    headers: {
      ...more,
      'Content-Type': type,
      Vary: 'Accept-Encoding',
      ...(coding === 'identity' ? {} : { 'Content-Encoding': coding }),
    },
  });
}

/** A subset of RFC 9110, 12.5.3: a named coding is accepted unless its weight is 0. */
function acceptedCodings(header: string): ReadonlySet<string> {
  const named = header
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*q\s*=\s*/))
    .filter(([, weight]) => weight === undefined || Number(weight) > 0)
    .map(([coding = '']) => coding.toLowerCase());
  return new Set([...named, 'identity']);
}
