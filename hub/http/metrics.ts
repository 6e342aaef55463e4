import { Counter, Gauge, Registry } from 'prom-client';

export interface Gauges {
  readonly agents: () => number;
  readonly running: () => number;
  readonly store: () => { readonly units: number; readonly commits: number };
}

/** What Prometheus is told (reference: docs/hub.md). No label names a tenant, so `/metrics` can stay open. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #started = this.#counter('svc_executions_started_total', 'Executions given to an agent');
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

  observe({ agents, running, store }: Gauges): void {
    this.#gauge('svc_agents_connected', 'Agent processes that are connected', agents);
    this.#gauge('svc_executions_running', 'Executions under way', running);
    this.#gauge('svc_store_writes', 'Writes since the start', () => store().units);
    this.#gauge('svc_store_commits', 'Commits that these shared', () => store().commits);
    this.#gauge('process_resident_memory_bytes', 'Memory of the process', () => process.memoryUsage.rss());
  }

  started(): void {
    this.#started.inc();
  }

  ended(state: string): void {
    this.#ended.inc({ state });
  }

  answered(status: number): void {
    this.#answers.inc({ status });
  }

  async read(): Promise<{ text: string; contentType: string }> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.#registry] });
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
}
