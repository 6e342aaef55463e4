import { rejectedBecause } from '@svc/core/execution/outcome';
import { ABSENCE_MS, onHubStart } from '@svc/core/execution/recovery';
import type { Absences } from './agent/absences.ts';
import { runOrder } from './execution/call-endpoint.ts';
import { readRecordedArgs } from './execution/recorded-args.ts';
import { addressOf, quotaOf, type RunningExecutions } from './live/running-executions.ts';
import type { Execution, Ports } from './ports.ts';

type RecoverPorts = Pick<Ports, 'ledger' | 'clock' | 'endpoints' | 'agents' | 'hubId'> & {
  readonly executions: RunningExecutions;
  readonly absences: Absences;
};

const RESTARTED = rejectedBecause(
  'hub_restart',
  'unavailable',
  'the hub was started anew before it was dispatched',
);

/** Executions that wait for their agent since the hub was started anew. */
export interface Waiting {
  /** Gives to agents what they are there for; to be called when one has connected. */
  dispatch(): Promise<void>;
}

/** What a hub asks its ledger when it starts: what is unfinished, and how does it go on (decision 24)? */
export async function recoverExecutions(ports: RecoverPorts): Promise<Waiting> {
  const waiting = new Map<string, Execution>();
  for (const execution of await ports.ledger.unfinished()) {
    switch (onHubStart(execution)) {
      case 'await_agent':
        awaitAgent(ports, execution);
        break;
      case 'await_dispatch':
        waiting.set(execution.id, execution);
        break;
      case 'reject':
        await reject(ports, execution);
        break;
      case 'leave':
        break;
    }
  }
  if (waiting.size > 0) giveUpLater(ports, waiting);
  return { dispatch: () => dispatchAll(ports, waiting) };
}

function awaitAgent(ports: RecoverPorts, execution: Execution): void {
  ports.executions.take(execution);
  const address = addressOf(execution);
  if (address !== undefined) ports.absences.begin(address);
}

function giveUpLater(ports: RecoverPorts, waiting: Map<string, Execution>): void {
  ports.clock.at(ports.clock.nowMs() + ABSENCE_MS, () => {
    for (const execution of waiting.values()) void reject(ports, execution);
    waiting.clear();
  });
}

async function dispatchAll(ports: RecoverPorts, waiting: Map<string, Execution>): Promise<void> {
  for (const execution of [...waiting.values()]) {
    const target = await ports.endpoints.byId(execution.endpointId);
    const process = target && ports.agents.choose(target);
    const args = readRecordedArgs(execution.args);
    if (target === undefined || process === undefined || args === undefined) continue;
    if (!waiting.delete(execution.id)) continue;
    const to = {
      name: process.name,
      instance: process.instance,
      boot: process.boot,
      hubId: ports.hubId,
      nowMs: ports.clock.nowMs(),
    };
    if (!(await ports.ledger.begin(execution.id, to))) continue;
    const begun = {
      ...execution,
      agentName: process.name,
      agentInstance: process.instance,
      agentBoot: process.boot,
    };
    const { live } = ports.executions.take(begun);
    if (ports.agents.run(process, runOrder(begun, target, args))) continue;
    live.finish(RESTARTED, ports.clock.nowMs(), 'refund');
  }
}

async function reject({ ledger, clock }: RecoverPorts, execution: Execution): Promise<void> {
  const finish = { ...RESTARTED, executionId: execution.id, endedAtMs: clock.nowMs() };
  await ledger.finish(finish, [], quotaOf(execution));
}
