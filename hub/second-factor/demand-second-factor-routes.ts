import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import type { Teams } from '../teams/store/team-store.ts';
import { type DemandDeps, demandSecondFactor } from './demand-second-factor.ts';

interface DemandRoutesDeps extends DemandDeps {
  readonly addressOf: (request: Request) => string;
  readonly teams: Pick<Teams, 'load'>;
}

type Routes = Pick<Handlers, 'showSecondFactorRule' | 'setSecondFactorRule'>;

/** Whether a workspace demands a second factor of its members (decision 100, second factor). */
export function demandSecondFactorRoutes(deps: DemandRoutesDeps): Routes {
  const without = async (workspaceId: string) => {
    const team = await deps.teams.load(workspaceId);
    return (team?.members ?? []).filter(({ hasSecondFactor }) => hasSecondFactor !== true).length;
  };
  return {
    async showSecondFactorRule({ acting: { workspace } }) {
      return { required: workspace.secondFactor === 'required', without: await without(workspace.id) };
    },
    async setSecondFactorRule({ request, acting: { workspace, member }, body: { required } }) {
      const by = sourceOf(deps, request, member);
      await demandSecondFactor(deps, { workspace, member, isRequired: required, by });
      return { required, without: await without(workspace.id) };
    },
  };
}
