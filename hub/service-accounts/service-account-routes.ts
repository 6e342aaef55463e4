import type { ServiceAccount } from '@svc/core/service-account/service-account';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { time } from '../platform/http/json-response.ts';
import { pageOf } from '../platform/page-of-items.ts';
import {
  disableServiceAccount,
  makeServiceAccount,
  makeServiceAccountKey,
  noSuchAccount,
  noSuchKey,
  revokeServiceAccountKey,
  type ServiceAccountDeps,
} from './manage-service-accounts.ts';
import type { ServiceAccountKey } from './store/service-account-store.ts';

export interface ServiceAccountRoutesDeps extends ServiceAccountDeps {
  readonly addressOf: (request: Request) => string;
}

type Routes = Pick<
  Handlers,
  | 'makeServiceAccount'
  | 'listServiceAccounts'
  | 'disableServiceAccount'
  | 'makeServiceAccountKey'
  | 'revokeServiceAccountKey'
>;

/** Service accounts and their keys, for owner and admins (decision 81, service accounts). */
export function serviceAccountRoutes(deps: ServiceAccountRoutesDeps): Routes {
  const { serviceAccounts } = deps;
  const find = async (workspaceId: string, id: string) => {
    const account = (await serviceAccounts.ofWorkspace(workspaceId)).find((one) => one.id === id);
    if (account === undefined) throw noSuchAccount();
    return account;
  };
  return {
    async makeServiceAccount({ request, body, acting: { member, workspace } }) {
      const wanted = { ...body, workspaceId: workspace.id, createdBy: member.userId };
      return describe(await makeServiceAccount(deps, wanted, sourceOf(deps, request, member)), []);
    },
    async listServiceAccounts({ query, acting: { workspace } }) {
      const accounts = await serviceAccounts.ofWorkspace(workspace.id);
      const { items, next_cursor } = pageOf(accounts, ({ id }) => id, query);
      const keys = await serviceAccounts.keysOf(workspace.id);
      const keysOf = (account: ServiceAccount) =>
        keys.filter(
          ({ serviceAccountId, revokedAtMs }) => serviceAccountId === account.id && revokedAtMs === undefined,
        );
      return { items: items.map((one) => describe(one, keysOf(one))), next_cursor };
    },
    async disableServiceAccount({ request, parameters: { id }, acting: { member, workspace } }) {
      const account = await find(workspace.id, id);
      await disableServiceAccount(deps, account, sourceOf(deps, request, member));
    },
    async makeServiceAccountKey({ request, parameters: { id }, body, acting: { member, workspace } }) {
      const { name, endpoints, expires_at: expiresAt } = body;
      const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
      const account = await find(workspace.id, id);
      const wanted = { createdBy: member.userId, name, endpoints, expiresAtMs };
      const by = sourceOf(deps, request, member);
      const { row, token } = await makeServiceAccountKey(deps, account, wanted, by);
      return { ...describeKey(row), token };
    },
    async revokeServiceAccountKey({ request, parameters: { id }, acting: { member, workspace } }) {
      const key = (await serviceAccounts.keysOf(workspace.id)).find((one) => one.id === id);
      if (key === undefined) throw noSuchKey();
      const account = await find(workspace.id, key.serviceAccountId);
      await revokeServiceAccountKey(deps, account, key, sourceOf(deps, request, member));
    },
  };
}

function describe(account: ServiceAccount, keys: readonly ServiceAccountKey[]) {
  const { id, name, role, createdBy, createdAtMs, disabledAtMs } = account;
  return {
    id,
    name,
    role,
    created_by: createdBy,
    created_at: time(createdAtMs),
    disabled_at: time(disabledAtMs),
    keys: keys.map(describeKey),
  };
}

function describeKey(key: ServiceAccountKey) {
  const { id, name, last4, endpoints = [], createdBy, createdAtMs, expiresAtMs, usedAtMs } = key;
  return {
    id,
    name,
    last4,
    // A key of a viewer has the empty list.
    endpoints: endpoints.length === 0 ? null : endpoints,
    created_by: createdBy,
    created_at: time(createdAtMs),
    expires_at: time(expiresAtMs),
    last_used_at: time(usedAtMs),
  };
}
