import type { Announced } from '../../engine/ports/endpoints.ts';
import type { EndpointRow } from '../tables.ts';

/** An endpoint and the definition that holds for it now. */
export interface CurrentEndpoint extends EndpointRow {
  readonly definition_hash: string;
  readonly definition: string;
  /** JSON; null: none. */
  readonly overrides: string | null;
}

/** What has to change so that an agent name has what it announces. */
export interface RegistrationPlan {
  readonly add: readonly Announced[];
  readonly change: readonly { readonly from: CurrentEndpoint; readonly to: Announced }[];
  readonly keep: readonly CurrentEndpoint[];
  readonly remove: readonly CurrentEndpoint[];
  readonly refused: readonly { readonly slug: string; readonly reason: string }[];
}

/** Decides by slug: whoever registered one first has it, until it is removed (decision 28). */
export function planRegistration(
  agentName: string,
  announced: readonly Announced[],
  current: readonly CurrentEndpoint[],
): RegistrationPlan {
  const bySlug = new Map(current.map((endpoint) => [endpoint.slug, endpoint]));
  const seen = new Set<string>();
  const plan = { add: [] as Announced[], change: [] as RegistrationPlan['change'][number][] };
  const [keep, refused]: [CurrentEndpoint[], RegistrationPlan['refused'][number][]] = [[], []];
  for (const one of announced) {
    const { slug } = one;
    const existing = bySlug.get(slug);
    if (seen.has(slug)) refused.push({ slug, reason: `"${slug}" was announced twice` });
    else if (existing === undefined) plan.add.push(one);
    else if (!belongsTo(existing, agentName)) refused.push({ slug, reason: takenReason(existing) });
    else if (existing.definition_hash === one.definitionHash) keep.push(existing);
    else plan.change.push({ from: existing, to: one });
    seen.add(slug);
  }
  const remove = current.filter((endpoint) => belongsTo(endpoint, agentName) && !seen.has(endpoint.slug));
  return { ...plan, keep, remove, refused };
}

function belongsTo({ source, registered_by }: EndpointRow, agentName: string): boolean {
  return source === 'config' && registered_by === agentName;
}

function takenReason({ slug, source, registered_by }: EndpointRow): string {
  return source === 'api'
    ? `"${slug}" was made through the API, and stays what it is there`
    : `"${slug}" was registered first by the agent "${registered_by}"`;
}
