import type { Ended } from '@svc/core/execution/outcome';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { Approvals } from '../approvals/approval-ports.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { Started } from '../executions/live/running-executions.ts';
import type { HostedQueue } from '../hosted/hosted-queue.ts';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import type { Bus } from '../platform/bus/bus.ts';
import { TraceContexts } from '../platform/tracing/trace-contexts.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import type { Clock } from '../platform/world.ts';
import type { Schedules } from '../schedules/schedule-ports.ts';
import { ExecutionSpans } from './execution-spans.ts';
import { RunSpans } from './run-spans.ts';
import { tracedBus } from './traced-bus.ts';
import { tracedApprovals, tracedQueue, tracedSchedules } from './waiting-spans.ts';

/** The ports at which it is seen what becomes of calls. */
interface Seen {
  readonly ledger: ExecutionLedger;
  readonly approvals: Approvals;
  readonly schedules: Schedules;
  readonly runs: PipelineRuns;
}

/** All that is traced between a request and its command (docs/operate/tracing.md): at the ports, so that no use case knows of it. */
export class Spans {
  readonly tracer: Tracer;
  readonly #clock: Clock;
  readonly #places: TraceContexts;
  readonly #executions: ExecutionSpans;
  readonly #runs: RunSpans;

  constructor(tracer: Tracer, clock: Clock) {
    this.tracer = tracer;
    this.#clock = clock;
    this.#places = new TraceContexts(tracer);
    this.#executions = new ExecutionSpans(tracer, this.#places);
    this.#runs = new RunSpans(tracer, this.#places);
  }

  /** The same ports; whoever is given these is traced. */
  ports({ ledger, approvals, schedules, runs }: Seen): Seen {
    return {
      ledger: this.#executions.ledger(ledger),
      approvals: tracedApprovals(this.#waits(), approvals),
      schedules: tracedSchedules(this.#waits(), schedules),
      runs: this.#runs.runs(runs),
    };
  }

  agents(agents: AgentDirectory): AgentDirectory {
    return this.#executions.agents(agents);
  }

  bus(bus: Bus): Bus {
    return tracedBus(this.tracer, this.#places, bus);
  }

  line(line: HostedQueue): HostedQueue {
    return tracedQueue(this.#waits(), line);
  }

  started(execution: Started): void {
    this.#executions.started(execution);
  }

  ended(execution: Started, ended: Ended): void {
    this.#executions.ended(execution, ended);
  }

  #waits() {
    return { tracer: this.tracer, places: this.#places, clock: this.#clock };
  }
}
