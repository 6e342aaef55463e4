import type { Secret } from '../../engine/ports/secrets.ts';
import { decideGrant, shownSubject } from '../../engine/secret/decide-grant.ts';
import { deleteSecret, keyIdOf, setSecret } from '../../engine/secret/manage-secrets.ts';
import { grantFacts, grantsOf, type SecretGrant } from '../../engine/secret/secret-grants.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import { pageOf } from '../routes/page-of.ts';
import { time } from '../time.ts';

type Routes = Pick<
  Handlers,
  'setSecret' | 'listSecrets' | 'deleteSecret' | 'listSecretGrants' | 'decideSecretGrant'
>;

/** Managed secrets: in they go, and out only to commands (decision 13). */
export function secretRoutes(context: HubContext): Routes {
  return {
    async setSecret({ request, parameters: { secret: name }, body: { value, agents }, acting }) {
      const { member, workspace } = acting;
      const wanted = { workspaceId: workspace.id, name, value, agents, setBy: member.userId };
      await setSecret(context, wanted, sourceOf(context, request, member));
      return undefined;
    },
    async listSecrets({ acting: { workspace }, query }) {
      const all = await context.secrets.list(workspace.id);
      return pageOf(all.map(describe), ({ name }) => name, query);
    },
    async deleteSecret({ request, parameters: { secret: name }, acting: { member, workspace } }) {
      await deleteSecret(context, workspace.id, name, sourceOf(context, request, member));
      return undefined;
    },
    async listSecretGrants({ acting: { workspace }, query }) {
      const all = grantsOf(await grantFacts(context, workspace.id));
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
      return describeGrant(await decideGrant(context, wanted, sourceOf(context, request, member)));
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
