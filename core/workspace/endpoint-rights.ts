import { may, type Permission, type Role } from './permissions.ts';

/** What a grant allows on endpoints (decision 87, rights per endpoint). Each of them includes `view`. */
export const ENDPOINT_ACTIONS = ['view', 'run', 'approve', 'edit'] as const;
export type EndpointAction = (typeof ENDPOINT_ACTIONS)[number];

/** The endpoints of members and viewers: as their role says, or only those of grants. */
export const ENDPOINT_ACCESS = ['all', 'by_grants'] as const;
export type EndpointAccess = (typeof ENDPOINT_ACCESS)[number];

/** `group`: the members who are in that group of the sign-in provider (decision 94, groups in grants). */
export const GRANTEE_KINDS = ['member', 'service_account', 'group'] as const;
export type GranteeKind = (typeof GRANTEE_KINDS)[number];

/** The most grants of a workspace. */
export const MAX_ENDPOINT_GRANTS = 500;
/** The most patterns of a grant. */
export const MAX_GRANT_PATTERNS = 100;

/** A slug with `*` for any characters, or `tag:` and such a tag. */
export const GRANT_PATTERN = /^(?:tag:)?[a-z0-9_*-]{1,64}$/;

/** Endpoints that somebody may use beside their role. Times are epoch milliseconds, UTC. */
export interface EndpointGrant {
  readonly id: string;
  readonly workspaceId: string;
  readonly granteeKind: GranteeKind;
  /** The id of the member or service account, or the name of the group. */
  readonly grantee: string;
  /** In the form of `GRANT_PATTERN`. */
  readonly endpoints: readonly string[];
  readonly can: readonly EndpointAction[];
  readonly createdBy: string;
  readonly createdAtMs: number;
}

/** A member or a service account. */
export interface Grantee {
  readonly kind: 'member' | 'service_account';
  readonly id: string;
  readonly role: Role;
  /** The groups of a member: those of the last sign-in, and the one that the membership comes from. */
  readonly groups?: readonly string[] | undefined;
}

/** The properties of an endpoint that grants name. */
export interface GrantedEndpoint {
  readonly slug: string;
  readonly tags: readonly string[];
}

const PERMISSION: Readonly<Record<EndpointAction, Permission>> = {
  view: 'endpoint.view',
  run: 'endpoint.execute',
  approve: 'endpoint.execute',
  edit: 'endpoint.edit',
};

/**
 * Whether somebody may do this with an endpoint. The role of owners and admins decides alone. For members and viewers a grant
 * adds to the role; with `by_grants` only grants count.
 */
export function mayOnEndpoint(
  { access, grants }: { readonly access: EndpointAccess; readonly grants: readonly EndpointGrant[] },
  who: Grantee,
  action: EndpointAction,
  endpoint: GrantedEndpoint,
): boolean {
  if ((access === 'all' || isNeverLimited(who.role)) && may(who.role, PERMISSION[action])) return true;
  if (isNeverLimited(who.role)) return false;
  return grants.some(
    (grant) => isFor(grant, who) && gives(grant, action) && grant.endpoints.some(matching(endpoint)),
  );
}

function isNeverLimited(role: Role): boolean {
  return role === 'owner' || role === 'admin';
}

function isFor({ granteeKind, grantee }: EndpointGrant, { kind, id, groups }: Grantee): boolean {
  if (granteeKind === 'group') return kind === 'member' && groups?.includes(grantee) === true;
  return granteeKind === kind && grantee === id;
}

function gives({ can }: EndpointGrant, action: EndpointAction): boolean {
  return action === 'view' || can.includes(action);
}

function matching({ slug, tags }: GrantedEndpoint): (pattern: string) => boolean {
  return (pattern) =>
    pattern.startsWith('tag:')
      ? tags.some((tag) => fits(pattern.slice('tag:'.length), tag))
      : fits(pattern, slug);
}

/** Whether a text fits a pattern with `*`, in time linear in the text for each part of the pattern. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** What one principal may do with the endpoints and pipelines of a workspace. */
export interface EndpointRights {
  /** Only grants count, so what is not about a granted endpoint is not for this principal. */
  readonly isLimited: boolean;
  /**
   * The slug of an endpoint or a pipeline. A pipeline may be viewed and run by those who may do it with every endpoint of its
   * steps.
   */
  may(action: EndpointAction, slug: string): boolean;
  /** Whether a grant allows the action on any endpoint. */
  grants(action: EndpointAction): boolean;
  /** Two rights with the same text allow the same. */
  readonly text: string;
}

/** The facts that rights follow from. */
export interface EndpointRightsFacts {
  readonly access: EndpointAccess;
  readonly grants: readonly EndpointGrant[];
  /** By user id. */
  readonly members: ReadonlyMap<string, Pick<Grantee, 'role' | 'groups'>>;
  /** By id. */
  readonly serviceAccounts: ReadonlyMap<string, Pick<Grantee, 'role'>>;
  /** The tags of each endpoint. */
  readonly tags: ReadonlyMap<string, readonly string[]>;
  /** The endpoints of the steps of each pipeline. */
  readonly steps: ReadonlyMap<string, readonly string[]>;
}

/** A principal as its credential names it; the role is left out where the credential does not say it. */
export type RightsHolder = Pick<Grantee, 'kind' | 'id'> & { readonly role?: Role };

/** The rights of all principals of a workspace, from one reading of the facts. */
export class WorkspaceRights {
  readonly #facts: EndpointRightsFacts;
  readonly #lacking: ReadonlySet<string>;
  readonly #known = new Map<string, EndpointRights>();

  /** @param lacking the ids of the members without the second factor that the workspace demands (decision 100, second factor) */
  constructor(facts: EndpointRightsFacts, lacking: ReadonlySet<string> = new Set()) {
    this.#facts = facts;
    this.#lacking = lacking;
  }

  /** Whether a credential is refused because its member lacks the second factor that the workspace demands. */
  lacksSecondFactor({ kind, id }: Pick<Grantee, 'kind' | 'id'>): boolean {
    return kind === 'member' && this.#lacking.has(id);
  }

  /** False where somebody may run the endpoint by a grant that does not give `approve`. */
  mayLinkDecide(slug: string): boolean {
    const { access, grants, tags } = this.#facts;
    const isOf = matching({ slug, tags: tags.get(slug) ?? [] });
    const runs = grants.filter((grant) => gives(grant, 'run') && grant.endpoints.some(isOf));
    return access === 'all' && runs.every((grant) => gives(grant, 'approve'));
  }

  /** Undefined: the role decides alone. */
  of({ kind, id, role }: RightsHolder): EndpointRights | undefined {
    const { access, grants } = this.#facts;
    if (access === 'all' && grants.length === 0) return undefined;
    const { members, serviceAccounts } = this.#facts;
    const known: Pick<Grantee, 'role' | 'groups'> | undefined =
      kind === 'member' ? members.get(id) : serviceAccounts.get(id);
    // The creator of a key may have left in this moment. No grant is for them then.
    const who: Grantee = { kind, id, role: role ?? known?.role ?? 'viewer', groups: known?.groups };
    if (isNeverLimited(who.role)) return undefined;
    const own = grants.filter((grant) => isFor(grant, who));
    if (access === 'all' && own.length === 0) return undefined;
    const key = `${kind} ${id} ${who.role}`;
    const rights = this.#known.get(key) ?? rightsOf(this.#facts, who, own);
    this.#known.set(key, rights);
    return rights;
  }
}

function rightsOf(
  { access, tags, steps }: EndpointRightsFacts,
  who: Grantee,
  grants: readonly EndpointGrant[],
): EndpointRights {
  const decided = new Map<string, boolean>();
  const onEndpoint = (action: EndpointAction, slug: string) =>
    mayOnEndpoint({ access, grants }, who, action, { slug, tags: tags.get(slug) ?? [] });
  const decide = (action: EndpointAction, slug: string) => {
    const ofSteps = steps.get(slug);
    if (ofSteps === undefined || ofSteps.length === 0) return onEndpoint(action, slug);
    // Grants are for endpoints: nobody edits a pipeline by one.
    if (action === 'edit') return may(who.role, 'pipeline.edit');
    return ofSteps.every((step) => onEndpoint(action, step));
  };
  return {
    isLimited: access === 'by_grants',
    may(action, slug) {
      const key = `${action} ${slug}`;
      const known = decided.get(key);
      if (known !== undefined) return known;
      const answer = decide(action, slug);
      // Callers choose slugs that do not exist.
      if (decided.size < MAX_DECIDED) decided.set(key, answer);
      return answer;
    },
    grants: (action) => grants.some((grant) => gives(grant, action)),
    get text() {
      const own = grants.map(({ endpoints, can }) => [endpoints, can]);
      return JSON.stringify([access, who.role, own, [...tags], [...steps]]);
    },
  };
}

const MAX_DECIDED = 5_000;
