import { gunzipSync } from 'node:zlib';
import { acceptedCodings } from '../platform/http/gzip.ts';
import { type Asset, CODINGS } from './asset-pack.ts';

/**
 * The content security policy of the dashboard and the documentation: only resources of this hub. There is no inline script or style;
 * scripts set computed styles through the DOM, which the policy allows.
 */
export const POLICY = [
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

/** Answers with a file in the smallest coding that the client accepts. */
export function assetAnswer(
  { type, bytes }: Asset,
  request: Request,
  more: Readonly<Record<string, string>>,
): Response {
  const accepted = acceptedCodings(request);
  const coding = CODINGS.find((one) => bytes[one] !== undefined && accepted.has(one)) ?? 'identity';
  return new Response(bytes[coding] ?? unpacked(bytes), {
    headers: {
      ...more,
      'Content-Type': type,
      Vary: 'Accept-Encoding',
      ...(coding === 'identity' ? {} : { 'Content-Encoding': coding }),
    },
  });
}

/** The documentation has only compressed bytes, because it is in every binary. Browsers and most programs accept them. */
function unpacked({ gzip }: Asset['bytes']): Uint8Array<ArrayBuffer> {
  if (gzip === undefined) throw new Error('a file of the pack has no bytes');
  return new Uint8Array(gunzipSync(gzip));
}
