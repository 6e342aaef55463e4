import { gunzipSync } from 'node:zlib';
import { requestTarget } from '@svc/core/api/request-target';
import { refuse } from '@svc/core/refusal';
import type { Handlers } from '../http/handler.ts';
import { type IdentityDeps, signedInAnywhere } from '../http/identity.ts';
import { acceptedCodings } from '../platform/http/gzip.ts';
import { seeOther } from '../platform/http/see-other.ts';
import { onPage } from '../platform/pages/page.ts';
import { type Asset, type AssetPack, CODINGS } from './asset-pack.ts';

/**
 * The content security policy of the dashboard and the documentation: only resources of this hub. There is no inline script or style;
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

const DASHBOARD = '/dashboard';

type Routes = Pick<Handlers, 'showHome' | 'showDashboard' | 'showDashboardView' | 'showAsset'>;

/** The page of the dashboard for the path of any view, and its files. `pack` is undefined until it is built. */
export function dashboardRoutes(deps: IdentityDeps, pack: () => Promise<AssetPack | undefined>): Routes {
  const isSignedIn = async (request: Request) =>
    (await signedInAnywhere(deps, request, ['session'])) !== undefined;
  const show = ({ request }: { readonly request: Request }) =>
    onPage('There is no dashboard', async () => {
      if (!(await isSignedIn(request))) return seeOther(signInPath(request));
      const view = requestTarget(request.url).path.slice(DASHBOARD.length);
      const page = (await pack())?.page(view);
      if (page === undefined)
        throw refuse('not_found', 'it is not built: `npm start` and `npm run build` do that');
      return pageResponse(page, request);
    });
  return {
    showHome: async ({ request }) => seeOther((await isSignedIn(request)) ? '/dashboard' : '/login'),
    showDashboard: show,
    showDashboardView: show,
    async showAsset({ request, parameters: { file } }) {
      const files = await pack();
      const asset = files?.asset(`assets/${file}`);
      const font = asset === undefined ? files?.font(file) : undefined;
      if (font !== undefined) return assetAnswer(font, request, FOR_A_DAY);
      if (asset === undefined) throw refuse('not_found', `there is no file "${file}"`);
      return assetResponse(asset, request);
    },
  };
}

function signInPath(request: Request): string {
  const { path, query } = requestTarget(request.url);
  return `/login?to=${encodeURIComponent(query === '' ? path : `${path}?${query}`)}`;
}

const FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' } as const;

/** A name without a hash may get other content with a later version. */
const FOR_A_DAY = { 'Cache-Control': 'public, max-age=86400' } as const;

/** The page itself is never cached, because it names the current files. */
function pageResponse(asset: Asset, request: Request): Response {
  return assetAnswer(asset, request, {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
  });
}

function assetResponse(asset: Asset, request: Request): Response {
  return assetAnswer(asset, request, FOREVER);
}

type DocumentRoutes = Pick<Handlers, 'showDocumentation' | 'showDocument' | 'showDocumentList'>;

const DOCUMENT_HEADERS = {
  // A new version of the hub has other pages under the same names.
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
} as const;

/** The documentation of this version, open to everyone. `pack` is undefined until it is built. */
export function documentationRoutes(pack: () => Promise<AssetPack | undefined>): DocumentRoutes {
  const show = async (request: Request, path: string): Promise<Response> => {
    const files = await pack();
    if (files === undefined)
      throw refuse('not_found', 'it is not built: `npm start` and `npm run build` do that');
    const asset = files.asset(path);
    if (asset === undefined) throw refuse('not_found', 'the documentation has no such page');
    return assetAnswer(asset, request, DOCUMENT_HEADERS);
  };
  return {
    showDocumentation: async () => seeOther('/docs/index.html'),
    showDocument: ({ request, parameters: { file } }) =>
      onPage('There is no such page', () => show(request, `docs/${file}`)),
    showDocumentList: ({ request }) => show(request, 'llms.txt'),
  };
}

/** Answers with a file in the smallest coding that the client accepts. */
function assetAnswer(
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
