import type { HubEvent, HubEventKind, HubEventOf } from '@svc/core/event/hub-event';

/** @param requestedAtMs of `performance.now()`: when the commit that stored the event was requested */
type Handler<Kind extends HubEventKind> = (event: HubEventOf<Kind>, requestedAtMs: number) => void;

/**
 * The event stream of a hub. Stores publish after the commit, in the order of the commits. Handlers run at once, in the
 * order of their subscriptions. An error in a handler is reported and stops neither the other handlers nor the publisher.
 */
export class EventStream {
  readonly #onError: (error: unknown) => unknown;
  readonly #handlers = new Map<HubEventKind, ((event: never, requestedAtMs: number) => void)[]>();

  constructor(onError: (error: unknown) => unknown) {
    this.#onError = onError;
  }

  subscribe<Kind extends HubEventKind>(kind: Kind | readonly Kind[], handler: Handler<Kind>): void {
    const kinds = typeof kind === 'string' ? [kind] : kind;
    for (const one of kinds) {
      this.#handlers.set(one, [...(this.#handlers.get(one) ?? []), handler]);
    }
  }

  publish(event: HubEvent, requestedAtMs = performance.now()): void {
    for (const handle of this.#handlers.get(event.kind) ?? []) {
      try {
        // The handlers by kind, so that each gets only events of its kinds.
        handle(event as never, requestedAtMs);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
