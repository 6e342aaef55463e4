import type { CurrentPipeline } from '../../pipelines/store/pipeline-rows.ts';
import type { AnnouncedFile } from '../endpoint-ports.ts';
import type { EndpointRow, EndpointVersionRow } from './table.ts';

/** An endpoint or a pipeline with its current definition. */
export interface CurrentEndpoint
  extends EndpointRow,
    Pick<EndpointVersionRow, 'registered_token' | 'registered_instance'> {
  readonly definition_hash: string;
  readonly definition: string;
  /** JSON; null: none. */
  readonly overrides: string | null;
}

/** Everything that currently has a slug in the workspace. */
export interface CurrentFile {
  readonly endpoints: readonly CurrentEndpoint[];
  readonly pipelines: readonly CurrentPipeline[];
}

/** The changes of one kind that make an agent name match its file. */
export interface KindPlan<Current, One> {
  readonly add: readonly One[];
  readonly change: readonly { readonly from: Current; readonly to: One }[];
  readonly keep: readonly Current[];
  readonly remove: readonly Current[];
  readonly refused: readonly RefusedSlug[];
}

/** The changes for the whole file. */
export interface RegistrationPlan {
  readonly endpoints: KindPlan<CurrentEndpoint, AnnouncedFile['endpoints'][number]>;
  readonly pipelines: KindPlan<CurrentPipeline, NonNullable<AnnouncedFile['pipelines']>[number]>;
  readonly refused: readonly RefusedSlug[];
}

interface RefusedSlug {
  readonly slug: string;
  readonly reason: string;
}

type Owned = Pick<EndpointRow, 'slug' | 'source' | 'registered_by'>;
type Defined = { readonly slug: string; readonly definition: string };

/**
 * Decides by slug. The first registration owns a slug until it is removed (decision 28, the connection of an agent), as an endpoint
 * or as a pipeline.
 */
export function planRegistration(
  agentName: string,
  file: AnnouncedFile,
  current: CurrentFile,
): RegistrationPlan {
  const twice = new Set(file.endpoints.map(({ slug }) => slug));
  const { pipelines: all = [] } = file;
  const endpoints = planKind(agentName, file.endpoints, current.endpoints, current.pipelines);
  const pipelines = planKind(
    agentName,
    all.filter(({ slug }) => !twice.has(slug)),
    current.pipelines,
    current.endpoints,
  );
  const both = all.filter(({ slug }) => twice.has(slug)).map(({ slug }) => announcedTwice(slug));
  return { endpoints, pipelines, refused: [...endpoints.refused, ...pipelines.refused, ...both] };
}

/** @param others other owners of slugs; the slugs of this agent are released in the same transaction */
function planKind<Current extends Owned & Defined, One extends Defined>(
  agentName: string,
  announced: readonly One[],
  current: readonly Current[],
  others: readonly Owned[],
): KindPlan<Current, One> {
  const bySlug = new Map(current.map((one) => [one.slug, one]));
  const foreign = [...current, ...others].filter((one) => !belongsTo(one, agentName));
  const taken = new Map(foreign.map((one) => [one.slug, one]));
  const seen = new Set<string>();
  const plan = { add: [] as One[], change: [] as KindPlan<Current, One>['change'][number][] };
  const [keep, refused]: [Current[], RefusedSlug[]] = [[], []];
  for (const one of announced) {
    const { slug } = one;
    const [owner, existing] = [taken.get(slug), bySlug.get(slug)];
    if (seen.has(slug)) refused.push(announcedTwice(slug));
    else if (owner !== undefined) refused.push({ slug, reason: takenReason(owner) });
    else if (existing === undefined) plan.add.push(one);
    else if (existing.definition === one.definition) keep.push(existing);
    else plan.change.push({ from: existing, to: one });
    seen.add(slug);
  }
  const remove = current.filter((one) => belongsTo(one, agentName) && !seen.has(one.slug));
  return { ...plan, keep, remove, refused };
}

function belongsTo({ source, registered_by }: Owned, agentName: string): boolean {
  return source === 'config' && registered_by === agentName;
}

function announcedTwice(slug: string): RefusedSlug {
  return { slug, reason: `"${slug}" was announced twice` };
}

function takenReason({ slug, source, registered_by }: Owned): string {
  return source === 'api'
    ? `"${slug}" was made through the API, and stays as it is there`
    : `"${slug}" was registered first by the agent "${registered_by}"`;
}
