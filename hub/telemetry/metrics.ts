import { readdirSync } from 'node:fs';
import { Counter, Gauge } from 'prom-client';
import type { HostAttempts } from '../dispatch/queue-entries.ts';
import { StreamedResponse } from '../http/sse-response.ts';
import type { EventStream } from '../platform/event-stream.ts';
import { Figures, outcomeOfStatus } from '../platform/metrics/figures.ts';
import type { Clock } from '../platform/world.ts';
import { ExecutionFigures, StepFigures } from './execution-figures.ts';

/** The sources of values that are read at each scrape. */
export interface Gauges {
  readonly agents: () => number;
  readonly hosts: () => { readonly connected: number; readonly capacity: number; readonly running: number };
  readonly hostedWaiting: () => number;
  readonly running: () => number;
  readonly store: () => {
    readonly units: number;
    readonly commits: number;
    readonly checkpointFailures?: number;
  };
  readonly isStoreDamaged: () => boolean;
  readonly server: { readonly pendingRequests: number; readonly pendingWebSockets: number };
  readonly bus:
    | { readonly isConnected: () => boolean; readonly ignored: () => number; readonly others: () => number }
    | undefined;
  /** Undefined while traces are off. */
  readonly spans: { readonly exported: number; readonly dropped: number } | undefined;
}

/** The metrics for Prometheus (docs/operate/metrics.md). No label names a tenant, so `/metrics` can stay open. */
export class Metrics {
  readonly figures = new Figures();
  readonly executions = new ExecutionFigures(this.figures);
  readonly steps = new StepFigures(this.figures);
  readonly #registry = this.figures.registry;
  readonly #started = new Counter({
    name: 'svc_executions_started_total',
    help: 'Executions given to an agent',
    registers: [this.#registry],
  });
  readonly #ended = new Counter({
    name: 'svc_executions_ended_total',
    help: 'Executions that came to an end',
    labelNames: ['state'],
    registers: [this.#registry],
  });
  readonly #answers = new Counter({
    name: 'svc_http_answers_total',
    help: 'Answers by status',
    labelNames: ['status'],
    registers: [this.#registry],
  });
  #outputBytes = 0;

  observe({
    agents,
    hosts,
    hostedWaiting,
    running,
    store,
    isStoreDamaged,
    server,
    bus,
    spans,
  }: Gauges): void {
    this.#gauge('svc_agents_connected', 'Agent processes that are connected', agents);
    this.#gauge(
      'svc_runners_connected',
      'Hosts of the hosted runner that are connected',
      () => hosts().connected,
    );
    this.#gauge('svc_runners_capacity', 'Executions that they have room for', () => hosts().capacity);
    this.#gauge('svc_runners_running', 'Executions that they run', () => hosts().running);
    this.#gauge('svc_hosted_waiting', 'Calls and executions that wait for a place there', hostedWaiting);
    this.#gauge('svc_executions_running', 'Executions under way', running);
    this.#counter('svc_store_writes_total', 'Writes since the start', () => store().units);
    this.#counter('svc_store_commits_total', 'Commits that these shared', () => store().commits);
    this.#gauge('svc_store_damaged', 'Whether data of the store was found damaged', () =>
      Number(isStoreDamaged()),
    );
    this.#counter(
      'svc_store_checkpoint_failures_total',
      'Copies of the write-ahead log into the file of SQLite that failed',
      () => store().checkpointFailures ?? 0,
    );
    if (bus !== undefined) {
      this.#gauge('svc_bus_connected', 'Whether this hub is connected to the bus', () =>
        Number(bus.isConnected()),
      );
      this.#gauge('svc_bus_other_hubs', 'Other hubs that are on the bus', bus.others);
      this.#counter('svc_bus_ignored_frames_total', 'Messages on the bus that were no frames', bus.ignored);
    }
    this.#gauge(
      'svc_http_requests_open',
      'Requests that are not answered to their end',
      () => server.pendingRequests,
    );
    this.#gauge(
      'svc_websockets_open',
      'Connections of agents over the network',
      () => server.pendingWebSockets,
    );
    this.#counter('svc_output_bytes_total', 'Bytes of output that agents sent', () => this.#outputBytes);
    this.#counter('svc_spans_exported_total', 'Spans that the collector took', () => spans?.exported ?? 0);
    this.#counter('svc_spans_dropped_total', 'Spans that were given up', () => spans?.dropped ?? 0);
    for (const { name, help, read } of PROCESS_GAUGES) this.#gauge(name, help, read);
    for (const { name, help, read } of PROCESS_COUNTERS) this.#counter(name, help, read);
  }

  /** Counts and measures what happens at this hub. */
  subscribe(stream: EventStream, clock: Clock): void {
    const { figures, executions, steps } = this;
    stream.subscribe('group_committed', ({ writes, durationMs }) => {
      figures.commitWrites.observe(writes);
      figures.commitDuration.observe(durationMs / 1000);
    });
    stream.subscribe('execution_accepted', ({ execution }, requestedAtMs) => {
      figures.accept.observeSince(requestedAtMs);
      executions.accepted(execution);
    });
    stream.subscribe('execution_started', ({ execution }) => {
      this.#started.inc();
      executions.started(execution.id);
    });
    stream.subscribe('execution_finished', (_, requestedAtMs) => figures.finish.observeSince(requestedAtMs));
    stream.subscribe('execution_ended', ({ execution, ended }) => {
      this.#ended.inc({ state: ended.state });
      executions.ended(execution, ended);
      steps.executionEnded(execution);
    });
    stream.subscribe('schedule_fired', ({ start }) => {
      if (start !== undefined)
        figures.scheduleLateness.observe((clock.nowMs() - start.scheduledForMs) / 1000);
    });
    stream.subscribe('run_started', ({ run }) => steps.runStarted(run.id));
    stream.subscribe('run_changed', (event) => steps.runChanged(event));
  }

  /** A call has its answer, or the beginning of one. */
  called(arrivedAtMs: number, response: Response): void {
    const duration = this.figures.callDuration[outcomeOfStatus(response.status)];
    if (response instanceof StreamedResponse)
      void response.ended.then(() => duration.observeSince(arrivedAtMs));
    else duration.observeSince(arrivedAtMs);
  }

  /** The attempts of an entry for the hosted runner, with a measurement of how long it waited. */
  hostWait(attempts: HostAttempts): HostAttempts {
    const enteredAtMs = performance.now();
    return {
      ...attempts,
      begin: async (host) => {
        const waitedMs = performance.now() - enteredAtMs;
        const outcome = await attempts.begin(host);
        if (outcome === 'over') this.figures.hostedWait.observe(waitedMs / 1000);
        return outcome;
      },
    };
  }

  answered(status: number): void {
    this.#answers.inc({ status });
  }

  output(executionId: string, bytes: number): void {
    this.#outputBytes += bytes;
    this.executions.output(executionId);
  }

  async read(): Promise<{ text: string; contentType: string }> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** Counters whose values are counted by other parts. */
  #counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }
}

interface Figure {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

/** The state of the process, under the standard names of Prometheus clients. */
const PROCESS_GAUGES: readonly Figure[] = [
  {
    name: 'process_resident_memory_bytes',
    help: 'Memory of the process',
    read: () => process.memoryUsage.rss(),
  },
  {
    name: 'process_heap_bytes',
    help: 'Memory that JavaScript has in use',
    read: () => process.memoryUsage().heapUsed,
  },
  { name: 'process_open_fds', help: 'Open descriptors', read: openDescriptors },
  {
    name: 'process_start_time_seconds',
    help: 'When the process began, in Unix time',
    read: () => performance.timeOrigin / 1000,
  },
];

const PROCESS_COUNTERS: readonly Figure[] = [
  {
    name: 'process_cpu_seconds_total',
    help: 'Processor time, user and system',
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000_000;
    },
  },
];

/** Reading the directory opens one descriptor itself. Without `/proc` the number is unknown. */
function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return 0;
  }
}
