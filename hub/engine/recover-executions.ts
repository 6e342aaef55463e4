import { rejectedBecause } from '@svc/core/execution/outcome';
import { ABSENCE_MS, onHubStart } from '@svc/core/execution/recovery';
import type { Refusal } from '@svc/core/refusal';
import type { Absences } from './agent/absences.ts';
import { restoreValues } from './execution/restore-values.ts';
import { type OrderValues, recordedDefinition, runOrder } from './execution/run-order.ts';
import { LapsedHubs } from './lapsed-hubs.ts';
import { addressOf, quotaOf, type RunningExecutions } from './live/running-executions.ts';
import type { AgentProcess, Execution, Ports } from './ports.ts';
import { untilAnswered } from './until-answered.ts';

type RecoverPorts = Pick<
  Ports,
  'ledger' | 'hubs' | 'clock' | 'endpoints' | 'agents' | 'vault' | 'secrets' | 'hubId'
> & {
  readonly reportBug: (error: unknown) => unknown;
  readonly executions: RunningExecutions;
  readonly absences: Absences;
};

const RESTARTED = rejectedBecause(
  'hub_restart',
  'unavailable',
  'the hub was started anew before it was dispatched',
);

/**
 * What earlier processes of this hub left unfinished, and what hubs that live no longer did: it goes on, or is told why not
 * (decision 24).
 */
export class Recovery {
  readonly #ports: RecoverPorts;
  readonly #lapsed: LapsedHubs;
  /** They wait for an agent that could run them. */
  readonly #waiting = new Map<string, Execution>();

  constructor(ports: RecoverPorts) {
    this.#ports = ports;
    this.#lapsed = new LapsedHubs(ports);
  }

  /** To be done before the first agent and the first call are let in. */
  async start(): Promise<void> {
    const { ledger, hubs, clock, hubId } = this.#ports;
    await hubs.beat(hubId, clock.nowMs());
    await this.#settle(await ledger.unfinished(hubId));
    await this.takeOver();
  }

  /** Claims what hubs had that live no longer; to be done with every beat. */
  async takeOver(): Promise<void> {
    const { ledger, hubs } = this.#ports;
    for (const gone of await this.#lapsed.among(await ledger.owners())) {
      await this.#settle(await this.#claimAll(gone));
      await hubs.forget(gone);
    }
  }

  /** Gives to agents what waits for them; to be called when one has connected. */
  async dispatch(): Promise<void> {
    for (const execution of [...this.#waiting.values()]) await this.#dispatch(execution);
  }

  /** Each one by compare-and-set: of two hubs that want it one gets it. */
  async #claimAll(from: string): Promise<Execution[]> {
    const { ledger, clock, hubId } = this.#ports;
    const claims = (await ledger.unfinished(from)).map(async (execution) => {
      const isClaimed = await untilAnswered(clock, () => ledger.claim(execution.id, from, hubId));
      return isClaimed ? [{ ...execution, hubId }] : [];
    });
    return (await Promise.all(claims)).flat();
  }

  async #settle(executions: readonly Execution[]): Promise<void> {
    const before = this.#waiting.size;
    for (const execution of executions) {
      switch (onHubStart(execution)) {
        case 'await_agent':
          await this.#awaitAgent(execution);
          break;
        case 'await_dispatch':
          this.#waiting.set(execution.id, execution);
          break;
        case 'reject':
          await this.#reject(execution);
          break;
        case 'leave':
          break;
      }
    }
    if (this.#waiting.size === before) return;
    this.#giveUpLater([...this.#waiting.keys()]);
    await this.dispatch();
  }

  /** One that is connected here already, but not because of this execution, says anew what it has of it. */
  async #awaitAgent(execution: Execution): Promise<void> {
    const { executions, absences, agents } = this.#ports;
    executions.take(execution, await this.#definitionOf(execution));
    const address = addressOf(execution);
    if (address === undefined) return;
    absences.begin(address);
    agents.askAgain(address);
  }

  #giveUpLater(ids: readonly string[]): void {
    const { clock, reportBug } = this.#ports;
    clock.at(clock.nowMs() + ABSENCE_MS, () => {
      for (const id of ids) {
        const execution = this.#waiting.get(id);
        if (this.#waiting.delete(id) && execution !== undefined) this.#reject(execution).catch(reportBug);
      }
    });
  }

  async #dispatch(execution: Execution): Promise<void> {
    const { endpoints, agents } = this.#ports;
    const target = await endpoints.byId(execution.endpointId);
    const name = target && agents.choose(target)?.name;
    if (target === undefined || name === undefined) return;
    const restored = await restoreValues(this.#ports, execution, name);
    // It may have gone while the values were read.
    const process = agents.choose(target);
    if (process?.name !== name || restored.kind === 'gone') return;
    // Whoever takes it out of those that wait is the only one to begin it.
    if (!this.#waiting.delete(execution.id)) return;
    if (restored.kind === 'values') await this.#begin(execution, process, restored.values);
    else await this.#reject(execution, refusedBecause(restored.refusal));
  }

  async #begin(execution: Execution, process: AgentProcess, values: OrderValues): Promise<void> {
    const { ledger, clock, hubId, executions, agents } = this.#ports;
    const { name, instance, boot } = process;
    const to = { name, instance, boot, hubId, nowMs: clock.nowMs() };
    if (!(await untilAnswered(clock, () => ledger.begin(execution.id, to)))) return;
    const begun = { ...execution, agentName: name, agentInstance: instance, agentBoot: boot };
    const definition = await this.#definitionOf(execution);
    const { live } = executions.take(begun, definition);
    if (!agents.run(process, runOrder(begun, values, definition))) {
      live.finish(RESTARTED, clock.nowMs(), 'refund');
      return;
    }
    // Somebody may have cancelled it after it had begun and before it was known here.
    const now = await untilAnswered(clock, () => ledger.find(execution.id));
    if (now?.cancelAskedAtMs !== undefined) executions.cancel(execution.id);
  }

  #definitionOf(execution: Execution): Promise<string | undefined> {
    return untilAnswered(this.#ports.clock, () => recordedDefinition(this.#ports, execution));
  }

  async #reject(execution: Execution, ended = RESTARTED): Promise<void> {
    const { ledger, clock } = this.#ports;
    const finish = { ...ended, executionId: execution.id, endedAtMs: clock.nowMs() };
    await untilAnswered(clock, () => ledger.finishQueued(finish, quotaOf(execution)));
  }
}

function refusedBecause({ code, message }: Refusal) {
  return rejectedBecause('refused', code, message);
}
