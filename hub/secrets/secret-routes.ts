import type { Credentials } from '../accounts/store/credentials.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { AlertRules } from '../alerts/store/alert-rules.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { time } from '../platform/http/json-response.ts';
import { pageOf } from '../platform/page-of-items.ts';
import type { Clock, Vault } from '../platform/world.ts';
import { decideGrant, shownSubject } from '../secret-grants/decide-grant.ts';
import { grantFacts, grantsOf, type SecretGrant } from '../secret-grants/list-grants.ts';
import { deleteSecret, keyIdOf, setSecret } from './manage-secrets.ts';
import type { Secret } from './secret-ports.ts';
import type { Secrets } from './store/secret-store.ts';

export interface SecretRoutesDeps {
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly endpoints: Endpoints;
  readonly knownAgents: KnownAgents;
  readonly alertRules: AlertRules;
  readonly secrets: Secrets;
  readonly vault: Vault;
}

type Routes = Pick<
  Handlers,
  'setSecret' | 'listSecrets' | 'deleteSecret' | 'listSecretGrants' | 'decideSecretGrant'
>;

/** Managed secrets. The API accepts values and never returns them; only commands receive them (decision 13, managed secrets). */
export function secretRoutes(deps: SecretRoutesDeps): Routes {
  return {
    async setSecret({ request, parameters: { secret: name }, body: { value, agents }, acting }) {
      const { member, workspace } = acting;
      const wanted = { workspaceId: workspace.id, name, value, agents, setBy: member.userId };
      await setSecret(deps, wanted, sourceOf(deps, request, member));
      return undefined;
    },
    async listSecrets({ acting: { workspace }, query }) {
      const all = await deps.secrets.list(workspace.id);
      return pageOf(all.map(describe), ({ name }) => name, query);
    },
    async deleteSecret({ request, parameters: { secret: name }, acting: { member, workspace } }) {
      await deleteSecret(deps, workspace.id, name, sourceOf(deps, request, member));
      return undefined;
    },
    async listSecretGrants({ acting: { workspace }, query }) {
      const all = grantsOf(await grantFacts(deps, workspace.id));
      const those = all.filter(({ state }) => query.state === undefined || state === query.state);
      const shown = those.map(describeGrant);
      return pageOf(shown, ({ secret, kind, id }) => `${secret} ${kind} ${id}`, query);
    },
    async decideSecretGrant({ request, body: { secret, kind, id: shownId, decision }, acting }) {
      const { member, workspace } = acting;
      const state = decision === 'allow' ? 'allowed' : 'refused';
      const wanted = {
        workspaceId: workspace.id,
        secret,
        kind,
        shownId,
        state,
        decidedBy: member.userId,
      } as const;
      return describeGrant(await decideGrant(deps, wanted, sourceOf(deps, request, member)));
    },
  };
}

function describeGrant(grant: SecretGrant) {
  const { secret, kind, who: name, about, state, question, decision } = grant;
  return {
    secret,
    kind,
    id: shownSubject(grant),
    name,
    about: about ?? null,
    state,
    question,
    decided_by: decision?.decidedBy ?? null,
    decided_at: time(decision?.decidedAtMs),
  };
}

function describe(secret: Secret) {
  const { name, agents, createdAtMs, updatedAtMs, updatedBy } = secret;
  return {
    name,
    agents: agents ?? null,
    key_id: keyIdOf(secret),
    created_at: time(createdAtMs),
    updated_at: time(updatedAtMs),
    updated_by: updatedBy,
  };
}
