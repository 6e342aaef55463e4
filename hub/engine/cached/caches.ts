import type { Accounts, Credentials, UsedApiKey, Workspace } from '../ports/accounts.ts';
import type { Endpoints, RegisteredEndpoint } from '../ports/endpoints.ts';
import type { Teams } from '../ports/teams.ts';
import type { WorkspaceRemoval } from '../ports/workspaces.ts';
import { ReadThrough } from './read-through.ts';

const MOST = 50_000;
const MOST_OF_A_WORKSPACE = 5_000;

type Found<Value> = Value | undefined | Promise<Value | undefined>;

/** What every call asks for; answered at once when it is known. Each write that could change it makes it be asked again. */
export interface CallLookups {
  workspace(username: string): Found<Workspace>;
  endpoint(workspaceId: string, slug: string): Found<RegisteredEndpoint>;
  apiKey(hash: string): Found<UsedApiKey>;
  /** Workspaces are asked for anew: another process, such as `svc admin`, may have changed them. */
  forgetWorkspaces(): void;
  /** The same of API keys: another hub may have revoked some. */
  forgetKeys(): void;
  /** The same of endpoints: another hub may have changed some. */
  forgetEndpoints(): void;
}

/** The ports with a cache in front of what calls ask for; all writes have to go through these. */
export interface Cached {
  readonly lookups: CallLookups;
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly endpoints: Endpoints;
  readonly teams: Teams;
  readonly workspaceRemoval: WorkspaceRemoval;
}

interface Stores {
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly endpoints: Endpoints;
  readonly teams: Teams;
  readonly workspaceRemoval: WorkspaceRemoval;
}

export function cached({ accounts, credentials, endpoints, teams, workspaceRemoval }: Stores): Cached {
  const workspaces = new ReadThrough<Workspace>(MOST);
  /** One for each workspace, so that a registration empties its own and no other. */
  const registered = new Map<string, ReadThrough<RegisteredEndpoint>>();
  const keys = new ReadThrough<UsedApiKey>(MOST);
  return {
    lookups: {
      workspace: (username) => workspaces.get(username, () => accounts.workspaceByUsername(username)),
      endpoint: (id, slug) => ofWorkspace(registered, id).get(slug, () => endpoints.find(id, slug)),
      apiKey: (hash) => keys.get(hash, () => credentials.apiKeyByHash(hash)),
      forgetWorkspaces: () => workspaces.forgetAll(),
      forgetKeys: () => keys.forgetAll(),
      forgetEndpoints: () => registered.clear(),
    },
    accounts: overriding(accounts, {
      async chooseUsername(workspaceId, username, entry) {
        const outcome = await accounts.chooseUsername(workspaceId, username, entry);
        workspaces.forgetWhere(({ id }) => id === workspaceId);
        return outcome;
      },
      async setPlan(workspaceId, plan, entry) {
        await accounts.setPlan(workspaceId, plan, entry);
        workspaces.forgetWhere(({ id }) => id === workspaceId);
      },
    }),
    credentials: overriding(credentials, {
      async rotateApiKey(key, to, entry) {
        try {
          return await credentials.rotateApiKey(key, to, entry);
        } finally {
          keys.forgetWhere(({ id }) => id === key.id);
        }
      },
      async revokeApiKey(workspaceId, id, entry) {
        const isRevoked = await credentials.revokeApiKey(workspaceId, id, entry);
        keys.forgetWhere((key) => key.id === id);
        return isRevoked;
      },
    }),
    teams: overriding(teams, {
      async store(team, change, entry) {
        try {
          return await teams.store(team, change, entry);
        } finally {
          if (change.kind === 'removed') keys.forgetWhere((key) => key.createdBy === change.userId);
        }
      },
    }),
    workspaceRemoval: overriding(workspaceRemoval, {
      async begin(workspace, entry) {
        try {
          return await workspaceRemoval.begin(workspace, entry);
        } finally {
          workspaces.forgetWhere(({ id }) => id === workspace.id);
          keys.forgetWhere(({ workspaceId }) => workspaceId === workspace.id);
          registered.delete(workspace.id);
        }
      },
    }),
    endpoints: overriding(endpoints, {
      async register(workspaceId, ...rest) {
        try {
          return await endpoints.register(workspaceId, ...rest);
        } finally {
          registered.delete(workspaceId);
        }
      },
      async create(id, draft, entry) {
        try {
          return await endpoints.create(id, draft, entry);
        } finally {
          registered.delete(entry.workspaceId);
        }
      },
      async change(from, to, entry) {
        try {
          return await endpoints.change(from, to, entry);
        } finally {
          registered.delete(entry.workspaceId);
        }
      },
      async remove(from, entry) {
        try {
          return await endpoints.remove(from, entry);
        } finally {
          registered.delete(entry.workspaceId);
        }
      },
    }),
  };
}

function ofWorkspace(
  caches: Map<string, ReadThrough<RegisteredEndpoint>>,
  workspaceId: string,
): ReadThrough<RegisteredEndpoint> {
  const known = caches.get(workspaceId);
  if (known !== undefined) return known;
  if (caches.size >= MOST) caches.clear();
  const cache = new ReadThrough<RegisteredEndpoint>(MOST_OF_A_WORKSPACE);
  caches.set(workspaceId, cache);
  return cache;
}

/** The same port with some of its methods replaced; a store's methods need their own `this`. */
function overriding<Port extends object>(port: Port, replaced: Partial<Port>): Port {
  return new Proxy(port, {
    get(target, name) {
      const value = (Reflect.get(replaced, name) as unknown) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}
