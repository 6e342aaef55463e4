import { mayMapGroups } from '@svc/core/team/group-roles';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import type { Acting } from '../http/identity.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import type { OidcSettings } from '../platform/oidc-settings.ts';
import { type GroupDeps, setGroupRoles } from './apply-groups.ts';

interface GroupRoutesDeps extends GroupDeps {
  readonly addressOf: (request: Request) => string;
}

interface GroupParts {
  /** Called when a mail was added to the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
  /** Undefined: the hub has no sign-in provider. */
  readonly provider: OidcSettings | undefined;
}

/** The roles of groups at the sign-in provider (decision 78, roles by groups). */
export function groupRoutes(
  deps: GroupRoutesDeps,
  { onMail, provider }: GroupParts,
): Pick<Handlers, 'showGroupRoles' | 'setGroupRoles'> {
  const { groupWorkspaces } = deps.settings;
  const shown = async ({ workspace }: Acting) => {
    const team = await deps.teams.load(workspace.id);
    return {
      provider: provider?.name ?? null,
      claim: mayMapGroups(groupWorkspaces, workspace.username) ? (provider?.groupsClaim ?? null) : null,
      groups: (team?.groupRoles ?? []).map((rule) => ({ ...rule, domains: [...rule.domains] })),
    };
  };
  return {
    showGroupRoles: ({ acting }) => shown(acting),
    async setGroupRoles({ request, acting, body: { groups } }) {
      const { workspace, userId, member } = acting;
      const who = { workspace, userId, by: sourceOf(deps, request, member) };
      for (const mail of await setGroupRoles(deps, who, groups)) onMail(mail);
      return shown(acting);
    },
  };
}
