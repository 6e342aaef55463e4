import { ExpiredHubs } from '../../cluster/expired-hubs.ts';
import type { Hubs } from '../../cluster/hub-ports.ts';
import { untilAnswered } from '../../platform/until-answered.ts';
import type { Clock } from '../../platform/world.ts';
import type { RunDriver } from './run-driver.ts';
import type { PipelineRuns } from './store/run-store.ts';

type RecoverDeps = {
  readonly hubs: Hubs;
  readonly clock: Clock;
  readonly hubId: string;
} & { readonly runs: PipelineRuns } & { readonly driver: RunDriver };

/** Continues runs of an earlier process of this hub, and runs of dead hubs (decision 41, pipeline runs). */
export class RunRecovery {
  readonly #deps: RecoverDeps;
  readonly #expiredHubs: ExpiredHubs;

  constructor(deps: RecoverDeps) {
    this.#deps = deps;
    this.#expiredHubs = new ExpiredHubs(deps);
  }

  /** Called after the recovery of executions, and before the hub accepts agents and calls. */
  async start(): Promise<void> {
    await this.#deps.driver.recover();
    await this.takeOver();
  }

  /** Called after a failed heartbeat. */
  restartLeases(): void {
    this.#expiredHubs.restartLeases();
  }

  /** Claims the runs of dead hubs. Called with every heartbeat, after their executions were claimed. */
  async takeOver(): Promise<void> {
    const { runs, clock, hubId, driver } = this.#deps;
    for (const gone of await this.#expiredHubs.among(await runs.owners())) {
      for (const id of await runs.unfinished(gone))
        if (await untilAnswered(clock, () => runs.claim(id, gone, hubId))) await driver.takeUp(id);
    }
  }
}
