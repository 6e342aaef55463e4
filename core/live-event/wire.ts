import type { LiveEventMessage } from '../api/contract/live-event-message.ts';
import type { LiveEvent } from './live-event.ts';

/** The wire form of a `LiveEvent`. */
export function wireLiveEvent(event: LiveEvent): LiveEventMessage {
  switch (event.kind) {
    case 'execution':
      return {
        type: 'execution',
        execution_id: event.executionId,
        endpoint: event.slug,
        status: event.state,
        ...(event.reason && { reason: event.reason }),
        ...(event.trigger && { trigger: event.trigger }),
      };
    case 'executions':
      return { type: 'executions', count: event.count };
    case 'approval':
      return {
        type: 'approval',
        approval_id: event.approvalId,
        execution_id: event.executionId,
        endpoint: event.slug,
        status: event.state === 'pending' ? 'pending_approval' : event.state,
      };
    case 'agent':
      return {
        type: 'agent',
        agent_name: event.agentName,
        status: event.isConnected ? 'connected' : 'gone',
      };
    case 'pipeline_run':
      return { type: 'pipeline_run', run_id: event.runId, pipeline: event.slug, status: event.state };
    case 'pipeline_node':
      return {
        type: 'pipeline_node',
        run_id: event.runId,
        node: event.nodeId,
        status: event.state,
        ...(event.executionId !== undefined && { execution_id: event.executionId }),
      };
    case 'quota':
      return { type: 'quota', percent: event.percent, used: event.used, period: event.period };
    case 'change': {
      const { kind, id, name } = event.target;
      return { type: 'change', action: event.action, kind, id, name };
    }
  }
}
