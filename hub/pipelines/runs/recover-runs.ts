import { ExpiredHubs } from '../../cluster/expired-hubs.ts';
import type { Hubs } from '../../cluster/hub-ports.ts';
import { untilAnswered } from '../../platform/until-answered.ts';
import type { Clock } from '../../platform/world.ts';
import type { RunDriver } from './run-driver.ts';
import type { PipelineRuns } from './store/run-store.ts';

type RecoverPorts = {
  readonly hubs: Hubs;
  readonly clock: Clock;
  readonly hubId: string;
} & { readonly runs: PipelineRuns } & { readonly driver: RunDriver };

/** Runs that an earlier process of this hub left, and those of hubs that live no longer: they go on (decision 41). */
export class RunRecovery {
  readonly #ports: RecoverPorts;
  readonly #lapsed: ExpiredHubs;

  constructor(ports: RecoverPorts) {
    this.#ports = ports;
    this.#lapsed = new ExpiredHubs(ports);
  }

  /** To be done when the executions have been recovered, and before the first agent and the first call are let in. */
  async start(): Promise<void> {
    await this.#ports.driver.recover();
    await this.takeOver();
  }

  /** To be done where a beat has failed. */
  lookAnew(): void {
    this.#lapsed.lookAnew();
  }

  /** Claims what hubs had that live no longer; to be done with every beat, after their executions have been claimed. */
  async takeOver(): Promise<void> {
    const { runs, clock, hubId, driver } = this.#ports;
    for (const gone of await this.#lapsed.among(await runs.owners())) {
      for (const id of await runs.unfinished(gone))
        if (await untilAnswered(clock, () => runs.claim(id, gone, hubId))) await driver.takeUp(id);
    }
  }
}
