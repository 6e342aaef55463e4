import { refuse } from '@svc/core/refusal';
import type { Handlers } from '../http/handler.ts';
import { seeOther } from '../platform/http/see-other.ts';
import { onPage } from '../platform/pages/page.ts';
import { assetAnswer, POLICY } from './asset-answer.ts';
import type { AssetPack } from './asset-pack.ts';

type Routes = Pick<Handlers, 'showDocumentation' | 'showDocument' | 'showDocumentList'>;

const HEADERS = {
  // A new version of the hub has other pages under the same names.
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
} as const;

/** The documentation of this version, open to everyone. `pack` is undefined until it is built. */
export function documentationRoutes(pack: () => Promise<AssetPack | undefined>): Routes {
  const show = async (request: Request, path: string): Promise<Response> => {
    const files = await pack();
    if (files === undefined)
      throw refuse('not_found', 'it is not built: `npm start` and `npm run build` do that');
    const asset = files.asset(path);
    if (asset === undefined) throw refuse('not_found', 'the documentation has no such page');
    return assetAnswer(asset, request, HEADERS);
  };
  return {
    showDocumentation: async () => seeOther('/docs/index.html'),
    showDocument: ({ request, parameters: { file } }) =>
      onPage('There is no such page', () => show(request, `docs/${file}`)),
    showDocumentList: ({ request }) => show(request, 'llms.txt'),
  };
}
