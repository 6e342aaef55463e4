import type { AlertEventName } from '@svc/core/alert/event';
import type { Forgotten } from '@svc/core/bus/frame';
import type { WorkspaceRights } from '@svc/core/workspace/endpoint-rights';
import type { FormerUsername, UsedApiKey, Workspace } from '../accounts/account-ports.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Usernames } from '../accounts/store/username-store.ts';
import type { AlertRules } from '../alerts/store/alert-rules.ts';
import type { EndpointGrants } from '../endpoint-grants/store/endpoint-grant-store.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { RegisteredPipeline } from '../pipelines/pipeline-ports.ts';
import type { Pipelines } from '../pipelines/store/pipeline-store.ts';
import { ReadThrough, WorkspaceCaches } from '../platform/read-through.ts';
import type { Clock } from '../platform/world.ts';

const MAX_ENTRIES = 50_000;
const MAX_ENDPOINTS = 5_000;
/** A graph can have a thousand nodes, so few are cached. */
const MAX_PIPELINES = 500;
/** Most names in URLs are no former ones, and the question comes before the key is looked at. */
const NO_FORMER_USERNAME_MS = 1_000;

type Found<Value> = Value | undefined | Promise<Value | undefined>;

/** The caches of everything that each call reads. */
export interface CallLookups {
  workspace(username: string): Found<Workspace>;
  workspaceById(id: string): Found<Workspace>;
  /** A username that a workspace had before (decision 102, change of username). */
  formerUsername(username: string): Found<FormerUsername>;
  endpoint(workspaceId: string, slug: string): Found<RegisteredEndpoint>;
  pipeline(workspaceId: string, slug: string): Found<RegisteredPipeline>;
  apiKey(hash: string): Found<UsedApiKey>;
  /** Who may do what with which endpoint of a workspace (decision 87, rights per endpoint). */
  rights(workspaceId: string): WorkspaceRights | Promise<WorkspaceRights>;
  /** The events that enabled alert rules of a workspace want. */
  alertEvents(workspaceId: string): Found<ReadonlySet<AlertEventName>>;
  /** Drops all workspaces: another process, such as `svc admin`, may have changed them. */
  forgetWorkspaces(): void;
  /** Drops all API keys: another hub may have revoked some. */
  forgetKeys(): void;
  /** Drops all endpoints and pipelines: another hub may have changed some. */
  forgetEndpoints(): void;
  /** Drops what a write here or at another hub may have changed. */
  forget(what: Forgotten): void;
}

type Stores = {
  readonly accounts: Pick<Accounts, 'workspaceByUsername' | 'workspaceById'>;
} & {
  readonly alertRules: Pick<AlertRules, 'of'>;
  readonly credentials: Pick<Credentials, 'apiKeyByHash'>;
  readonly endpointGrants: Pick<EndpointGrants, 'rights'>;
  readonly endpoints: Pick<Endpoints, 'find'>;
  readonly pipelines: Pick<Pipelines, 'find'>;
  readonly usernames: Pick<Usernames, 'former'>;
};

/** Caches in front of what calls read. The event `lookups_stale` says what a write here has changed. */
export function callLookups(
  { accounts, alertRules, credentials, endpointGrants, endpoints, pipelines, usernames }: Stores,
  clock: Pick<Clock, 'nowMs'>,
): CallLookups {
  const workspaces = new ReadThrough<Workspace>(MAX_ENTRIES);
  const workspacesById = new ReadThrough<Workspace>(MAX_ENTRIES);
  const former = new ReadThrough<FormerUsername>(MAX_ENTRIES, { clock, forMs: NO_FORMER_USERNAME_MS });
  const registered = new WorkspaceCaches<RegisteredEndpoint>(MAX_ENDPOINTS);
  const graphs = new WorkspaceCaches<RegisteredPipeline>(MAX_PIPELINES);
  const keys = new ReadThrough<UsedApiKey>(MAX_ENTRIES);
  const alertEvents = new ReadThrough<ReadonlySet<AlertEventName>>(MAX_ENTRIES);
  const rights = new ReadThrough<WorkspaceRights>(MAX_ENTRIES);
  const readAlertEvents = async (workspaceId: string) => {
    const rules = await alertRules.of(workspaceId);
    return new Set(rules.flatMap(({ isEnabled, events }) => (isEnabled ? events : [])));
  };
  return {
    workspace: (username) => workspaces.get(username, () => accounts.workspaceByUsername(username)),
    workspaceById: (id) => workspacesById.get(id, () => accounts.workspaceById(id)),
    formerUsername: (username) => former.get(username, () => usernames.former(username)),
    endpoint: (id, slug) => registered.of(id).get(slug, () => endpoints.find(id, slug)),
    pipeline: (id, slug) => graphs.of(id).get(slug, () => pipelines.find(id, slug)),
    apiKey: (hash) => keys.get(hash, () => credentials.apiKeyByHash(hash)),
    // The store has rights for every workspace, so they are never undefined.
    rights: (id) => rights.get(id, () => endpointGrants.rights(id)) as ReturnType<CallLookups['rights']>,
    alertEvents: (id) => alertEvents.get(id, () => readAlertEvents(id)),
    forgetWorkspaces: () => {
      workspaces.forgetAll();
      workspacesById.forgetAll();
      former.forgetAll();
      rights.forgetAll();
    },
    forgetKeys: () => keys.forgetAll(),
    forgetEndpoints: () => {
      registered.clear();
      rights.forgetAll();
      alertEvents.forgetAll();
      graphs.clear();
    },
    forget: (what) => {
      switch (what.kind) {
        case 'workspace':
          workspacesById.forget(what.id);
          rights.forget(what.id);
          former.forgetWhere(({ workspaceId }) => workspaceId === what.id);
          return workspaces.forgetWhere(({ id }) => id === what.id);
        case 'key':
          return keys.forgetWhere(({ id }) => id === what.id);
        case 'keys_of_user':
          return keys.forgetWhere(({ createdBy }) => createdBy === what.userId);
        case 'keys_of_workspace':
          return keys.forgetWhere(({ workspaceId }) => workspaceId === what.workspaceId);
        case 'endpoints':
          // A change of alert rules publishes the same message, which other hubs know.
          alertEvents.forget(what.workspaceId);
          rights.forget(what.workspaceId);
          return registered.delete(what.workspaceId);
        case 'pipelines':
          rights.forget(what.workspaceId);
          return graphs.delete(what.workspaceId);
      }
    },
  };
}
