import { requestTarget } from '@svc/core/api/request-target';
import { refuse } from '@svc/core/refusal';
import type { Handlers } from '../http/handler.ts';
import { type IdentityDeps, signedIn } from '../http/identity.ts';
import { onPage } from '../platform/pages/on-page.ts';
import type { AssetPack } from './asset-pack.ts';
import { assetResponse, pageResponse } from './asset-response.ts';

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
      const asset = (await pack())?.asset(`assets/${file}`);
      if (asset === undefined) throw refuse('not_found', `there is no file "${file}"`);
      return assetResponse(asset, request);
    },
  };
}

function signInPath(request: Request): string {
  const { path, query } = requestTarget(request.url);
  return `/login?to=${encodeURIComponent(query === '' ? path : `${path}?${query}`)}`;
}

function seeOther(path: string): Response {
  return new Response(null, { status: 303, headers: { Location: path } });
}
