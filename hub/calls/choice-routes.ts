import { readJsonArguments } from '@svc/core/api/json/json-arguments';
import { searchChoices } from '@svc/core/endpoint/choices/choice-list';
import { collectValues } from '@svc/core/endpoint/value/collect-values';
import { accessToCall, seesEndpoint } from '@svc/core/execution/access';
import { refuse } from '@svc/core/refusal';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Handlers } from '../http/handler.ts';
import { callerOfPrincipal } from '../http/principal.ts';
import { refuseForeignStart } from '../http/same-site.ts';
import { type AccessDeps, callableOf, limitRate, refuseCallBy } from './access.ts';
import { ChoiceLists, type ChoiceListsDeps } from './choice-lists.ts';

export type ChoiceRoutesDeps = ChoiceListsDeps & AccessDeps & { readonly endpoints: Endpoints };

/** The values that an argument accepts, for forms and completion (decision 69, choices from an endpoint). */
export function choiceRoutes(deps: ChoiceRoutesDeps): Pick<Handlers, 'listChoices'> {
  const lists = new ChoiceLists(deps);
  return {
    async listChoices({ request, acting, query, parameters: { name, argument } }) {
      refuseForeignStart(acting, request, deps.settings.hubUrl);
      const { workspace, member } = acting;
      const target = await deps.lookups.endpoint(workspace.id, name);
      const caller = callerOfPrincipal(acting);
      if (target === undefined || !seesEndpoint(caller, name))
        throw refuse('not_found', 'there is no such endpoint');
      refuseCallBy(caller, name);
      limitRate(deps, caller, workspace.plan, request);
      const body = query.values === undefined ? undefined : readJsonArguments(query.values);
      const given = collectValues({ query: [], body }, target.endpoint.args);
      const asker = {
        workspace,
        callerKind: 'member',
        callerId: member.userId,
        from: deps.addressOf(request),
        mayCall: (source: typeof target) =>
          accessToCall(caller, callableOf({ kind: 'endpoint', workspace, target: source })) === 'allowed',
      } as const;
      const found = searchChoices(await lists.read(asker, target, argument, given), query.search);
      return { items: found.slice(0, query.limit), total: found.length };
    },
  };
}
