import { requestTarget } from '@svc/core/api/request-target';
import { refuse } from '@svc/core/refusal';
import type { Handlers } from '../http/handler.ts';
import { type IdentityDeps, signedIn } from '../http/identity.ts';
import { seeOther } from '../platform/http/see-other.ts';
import { onPage } from '../platform/pages/page.ts';
import { assetAnswer, POLICY } from './asset-answer.ts';
import type { Asset, AssetPack } from './asset-pack.ts';

type Routes = Pick<Handlers, 'showHome' | 'showDashboard' | 'showDashboardView' | 'showAsset'>;

/** The page of the dashboard for the path of any view, and its files. `pack` is undefined until it is built. */
export function dashboardRoutes(deps: IdentityDeps, pack: () => Promise<AssetPack | undefined>): Routes {
  const isSignedIn = async (request: Request) => (await signedIn(deps, request, ['session'])) !== undefined;
  const show = ({ request }: { readonly request: Request }) =>
    onPage('There is no dashboard', async () => {
      if (!(await isSignedIn(request))) return seeOther(signInPath(request));
      const page = (await pack())?.asset('index.html');
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
