/** Where a file of the hub stands: its layer decides what it may import, its concept decides within one layer. */
export interface HubPlace {
  readonly layer: Layer;
  readonly concept: string;
}

/**
 * From the inside out: a file imports its own layer and those before it.
 *
 * - `platform`: databases, HTTP, bus, mail, vault, metrics and tracing, without any concept of the product.
 * - `types`: what stores and use cases say to each other (`*-ports.ts`).
 * - `schema`: the rows of the tables (`schema.ts`, `table.ts`).
 * - `store`: the only SQL (`store/`, `*-store.ts`).
 * - `use case`: one verb each.
 * - `connection`: what agents say on their sockets.
 * - `http`: routes, pages and streams (`http/`, `*-routes.ts`, `*-page.ts`, `describe-*.ts`).
 * - `telemetry`: metrics and traces of all of them.
 * - `build`: `main.ts` and what it builds the hub from; `admin`: `svc admin`.
 */
const LAYERS = [
  'platform',
  'types',
  'schema',
  'database',
  'store',
  'use case',
  'connection',
  'http',
  'telemetry',
  'build',
  'admin',
] as const;
export type Layer = (typeof LAYERS)[number];

/** Within these layers a concept imports only those that stand before it. */
const ORDER: Readonly<Partial<Record<Layer, readonly string[]>>> = {
  types: words(
    'platform accounts service-accounts identity passkeys oauth audit workspaces teams cluster pipelines endpoints agents alerts secrets executions hosted approvals schedules runs events',
  ),
  store: words(
    'audit workspaces teams accounts service-accounts scim identity passkeys second-factor oauth cluster alerts secrets pipelines endpoints endpoint-grants agents executions artifacts approvals schedules hosted runs retention lookups',
  ),
  'use case': words(
    'audit accounts service-accounts workspaces teams scim cluster alerts identity passkeys second-factor oauth endpoints endpoint-grants agents executions artifacts spool secrets secret-grants hosted pipelines dispatch approvals calls schedules runs registrations retention events',
  ),
};

function words(text: string): readonly string[] {
  return text.split(' ');
}

const HTTP_FILE = /-(?:routes|pages?)\.ts$|-page-|\/describe-|\/http\/|\/webhook\//;

/** The place of a file below `hub/`. */
export function hubPlace(path: string): HubPlace {
  const [, first = '', ...rest] = path.split('/');
  const isFile = rest.length === 0;
  const concept =
    path.startsWith('hub/pipelines/runs/') || path.startsWith('hub/pipelines/webhook/') ? 'runs' : first;
  return { concept, layer: layerOf(path, concept, isFile) };
}

function layerOf(path: string, concept: string, isFile: boolean): Layer {
  if (path === 'hub/schema.ts' || /\/(?:table|mail-row)\.ts$/.test(path)) return 'schema';
  if (path === 'hub/config.ts') return 'platform';
  if (isFile || concept === 'build') return 'build';
  if (concept === 'admin' || concept === 'telemetry') return concept;
  if (path.endsWith('-ports.ts')) return 'types';
  if (concept === 'platform') return /^hub\/platform\/(?:db|mail)\//.test(path) ? 'database' : 'platform';
  if (concept === 'lookups' || path.includes('/store/') || path.endsWith('-store.ts')) return 'store';
  if (concept === 'agent-links') return 'connection';
  const isHttp = ['dashboard', 'http', 'mcp', 'templates'].includes(concept) || HTTP_FILE.test(path);
  return isHttp || (concept === 'calls' && !path.endsWith('/call-endpoint.ts')) ? 'http' : 'use case';
}

/** Why one file of the hub may not import another; undefined: it may. */
export function hubProblem(from: string, to: string): string | undefined {
  const a = hubPlace(from);
  const b = hubPlace(to);
  if (LAYERS.indexOf(a.layer) < LAYERS.indexOf(b.layer))
    return `layer "${a.layer}" may not import "${b.layer}"`;
  const order = ORDER[a.layer];
  if (a.layer !== b.layer || order === undefined || a.concept === b.concept) return undefined;
  const [at, other] = [order.indexOf(a.concept), order.indexOf(b.concept)];
  if (at === -1 || other === -1)
    return `${at === -1 ? a.concept : b.concept} has no place in the layer "${a.layer}"`;
  return at < other ? `${a.concept} comes before ${b.concept} in the layer "${a.layer}"` : undefined;
}
