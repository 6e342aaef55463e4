import type { AlertEvent } from '@svc/core/alert/event';
import { alertsForExecution, type EndedExecution, type RecordedEnd } from '@svc/core/alert/tell-execution';
import type { CallLookups } from '../lookups/caches.ts';
import type { Random } from '../platform/world.ts';

/** What is told of an execution as it ends: stored with its end. */
export type AlertsOf = (
  execution: EndedExecution & { readonly endpointId: string },
  ended: RecordedEnd,
) => Promise<readonly AlertEvent[]>;

/** The alerts of an ending; its callback goes to the `callback_url` that the endpoint has by then (decision 39). */
export function executionAlerts({
  lookups,
  random,
}: { readonly random: Random } & { readonly lookups: Pick<CallLookups, 'endpoint'> }): AlertsOf {
  return async (execution, ended) => {
    const registered = await lookups.endpoint(execution.workspaceId, execution.slug);
    // Another endpoint may have taken the slug.
    const isOwn = registered?.id === execution.endpointId;
    const callbackUrl = isOwn ? registered.endpoint.callbackUrl : undefined;
    return alertsForExecution(execution, ended, callbackUrl, () => random.uuid());
  };
}
