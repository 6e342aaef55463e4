import type { Forgotten } from '@svc/core/bus/frame';
import type { UsedApiKey, Workspace } from '../accounts/account-ports.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { RegisteredPipeline } from '../pipelines/pipeline-ports.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import { ReadThrough } from '../platform/cache/read-through.ts';
import { WorkspaceCaches } from '../platform/cache/workspace-caches.ts';
import { overriding } from '../platform/overriding.ts';
import type { WorkspaceRemoval } from '../retention/store/workspace-removal.ts';
import type { Teams } from '../teams/store/team-store.ts';

const MOST = 50_000;
const MOST_ENDPOINTS = 5_000;
/** Each can have a thousand nodes. */
const MOST_PIPELINES = 500;

type Found<Value> = Value | undefined | Promise<Value | undefined>;

/** What every call asks for; answered at once when it is known. Each write that could change it makes it be asked again. */
export interface CallLookups {
  workspace(username: string): Found<Workspace>;
  endpoint(workspaceId: string, slug: string): Found<RegisteredEndpoint>;
  pipeline(workspaceId: string, slug: string): Found<RegisteredPipeline>;
  apiKey(hash: string): Found<UsedApiKey>;
  /** Workspaces are asked for anew: another process, such as `svc admin`, may have changed them. */
  forgetWorkspaces(): void;
  /** The same of API keys: another hub may have revoked some. */
  forgetKeys(): void;
  /** The same of endpoints and pipelines: another hub may have changed some. */
  forgetEndpoints(): void;
  /** Another hub has changed this. */
  forget(what: Forgotten): void;
}

/** The ports with a cache in front of what calls ask for; all writes have to go through these. */
export interface Cached {
  readonly lookups: CallLookups;
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly endpoints: Endpoints;
  readonly pipelines: Pipelines;
  readonly teams: Teams;
  readonly workspaceRemoval: WorkspaceRemoval;
}

interface Stores {
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly endpoints: Endpoints;
  readonly pipelines: Pipelines;
  readonly teams: Teams;
  readonly workspaceRemoval: WorkspaceRemoval;
}

/** @param tellOthers tells other hubs what a write here has made them forget, too */
export function cached(stores: Stores, tellOthers?: (what: Forgotten) => void): Cached {
  const { accounts, credentials, endpoints, pipelines, teams, workspaceRemoval } = stores;
  const workspaces = new ReadThrough<Workspace>(MOST);
  const registered = new WorkspaceCaches<RegisteredEndpoint>(MOST_ENDPOINTS);
  const graphs = new WorkspaceCaches<RegisteredPipeline>(MOST_PIPELINES);
  const keys = new ReadThrough<UsedApiKey>(MOST);
  const drop = (what: Forgotten) => {
    switch (what.kind) {
      case 'workspace':
        return workspaces.forgetWhere(({ id }) => id === what.id);
      case 'key':
        return keys.forgetWhere(({ id }) => id === what.id);
      case 'keys_of_user':
        return keys.forgetWhere(({ createdBy }) => createdBy === what.userId);
      case 'keys_of_workspace':
        return keys.forgetWhere(({ workspaceId }) => workspaceId === what.workspaceId);
      case 'endpoints':
        return registered.delete(what.workspaceId);
      case 'pipelines':
        return graphs.delete(what.workspaceId);
    }
  };
  const forget = (what: Forgotten) => {
    drop(what);
    tellOthers?.(what);
  };
  return {
    lookups: {
      workspace: (username) => workspaces.get(username, () => accounts.workspaceByUsername(username)),
      endpoint: (id, slug) => registered.of(id).get(slug, () => endpoints.find(id, slug)),
      pipeline: (id, slug) => graphs.of(id).get(slug, () => pipelines.find(id, slug)),
      apiKey: (hash) => keys.get(hash, () => credentials.apiKeyByHash(hash)),
      forgetWorkspaces: () => workspaces.forgetAll(),
      forgetKeys: () => keys.forgetAll(),
      forgetEndpoints: () => {
        registered.clear();
        graphs.clear();
      },
      forget: drop,
    },
    accounts: overriding(accounts, {
      async chooseUsername(workspaceId, username, entry) {
        const outcome = await accounts.chooseUsername(workspaceId, username, entry);
        forget({ kind: 'workspace', id: workspaceId });
        return outcome;
      },
      async setPlan(workspaceId, plan, entry) {
        await accounts.setPlan(workspaceId, plan, entry);
        forget({ kind: 'workspace', id: workspaceId });
      },
    }),
    credentials: overriding(credentials, {
      async rotateApiKey(key, to, entry) {
        try {
          return await credentials.rotateApiKey(key, to, entry);
        } finally {
          forget({ kind: 'key', id: key.id });
        }
      },
      async revokeApiKey(workspaceId, id, entry) {
        const isRevoked = await credentials.revokeApiKey(workspaceId, id, entry);
        forget({ kind: 'key', id });
        return isRevoked;
      },
    }),
    teams: overriding(teams, {
      async store(team, change, entry) {
        try {
          return await teams.store(team, change, entry);
        } finally {
          if (change.kind === 'removed') forget({ kind: 'keys_of_user', userId: change.userId });
        }
      },
    }),
    workspaceRemoval: overriding(workspaceRemoval, {
      async begin(workspace, entry) {
        try {
          return await workspaceRemoval.begin(workspace, entry);
        } finally {
          forget({ kind: 'workspace', id: workspace.id });
          forget({ kind: 'keys_of_workspace', workspaceId: workspace.id });
          forget({ kind: 'endpoints', workspaceId: workspace.id });
          forget({ kind: 'pipelines', workspaceId: workspace.id });
        }
      },
    }),
    pipelines: overriding(pipelines, {
      async create(id, draft, entry) {
        try {
          return await pipelines.create(id, draft, entry);
        } finally {
          forget({ kind: 'pipelines', workspaceId: entry.workspaceId });
        }
      },
      async change(from, to, entry) {
        try {
          return await pipelines.change(from, to, entry);
        } finally {
          forget({ kind: 'pipelines', workspaceId: entry.workspaceId });
        }
      },
      async remove(from, entry) {
        try {
          return await pipelines.remove(from, entry);
        } finally {
          forget({ kind: 'pipelines', workspaceId: entry.workspaceId });
        }
      },
    }),
    endpoints: overriding(endpoints, {
      async register(workspaceId, ...rest) {
        try {
          return await endpoints.register(workspaceId, ...rest);
        } finally {
          forget({ kind: 'endpoints', workspaceId });
          forget({ kind: 'pipelines', workspaceId });
        }
      },
      async create(id, draft, entry) {
        try {
          return await endpoints.create(id, draft, entry);
        } finally {
          forget({ kind: 'endpoints', workspaceId: entry.workspaceId });
        }
      },
      async change(from, to, entry) {
        try {
          return await endpoints.change(from, to, entry);
        } finally {
          forget({ kind: 'endpoints', workspaceId: entry.workspaceId });
        }
      },
      async remove(from, entry) {
        try {
          return await endpoints.remove(from, entry);
        } finally {
          forget({ kind: 'endpoints', workspaceId: entry.workspaceId });
        }
      },
    }),
  };
}
