import type { AgentEvent } from '@svc/agent/connect';

/** An event as one line of JSON, for programs that start an agent. */
export function jsonEvent(event: AgentEvent): string {
  return `${JSON.stringify(plain(event))}\n`;
}

function plain(event: AgentEvent): object {
  switch (event.kind) {
    case 'connected':
      return { event: event.kind, hub: event.hub, ...registration(event) };
    case 'registered':
      return { event: event.kind, ...registration(event) };
    case 'disconnected':
      return { event: event.kind, reason: event.reason, retry_in_ms: Math.round(event.retryInMs) };
    case 'config_changed': {
      const { config, warnings } = event.config;
      return {
        event: event.kind,
        endpoints: config.endpoints.map(slugOf),
        pipelines: config.pipelines.map(slugOf),
        warnings,
      };
    }
    case 'config_refused': {
      const { source } = event;
      const problems = source.kind === 'problems' ? source.problems : [{ message: source.message }];
      return { event: event.kind, problems };
    }
    case 'journal_damaged':
      return { event: event.kind, reason: event.reason, at: new Date(event.atMs).toISOString() };
    case 'shortage':
    case 'shortage_over':
      return { event: event.kind, shortage: event.shortage };
    case 'trouble':
      return { event: event.kind, message: event.message, cause: String(event.cause) };
  }
}

function slugOf({ slug }: { readonly slug: string }): string {
  return slug;
}

function registration({
  registered,
  refused,
  warnings,
}: Extract<AgentEvent, { kind: 'registered' }> | Extract<AgentEvent, { kind: 'connected' }>) {
  return { registered, refused, warnings };
}
