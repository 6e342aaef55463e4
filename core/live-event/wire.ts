import type { LiveEventMessage } from '../api/contract/news-schema.ts';
import type { LiveEvent } from './live-event.ts';

/** The wire form of a `LiveEvent`. */
export function wireLiveEvent(news: LiveEvent): LiveEventMessage {
  switch (news.kind) {
    case 'execution':
      return {
        type: 'execution',
        execution_id: news.executionId,
        endpoint: news.slug,
        status: news.state,
        ...(news.reason && { reason: news.reason }),
        ...(news.trigger && { trigger: news.trigger }),
      };
    case 'executions':
      return { type: 'executions', count: news.count };
    case 'approval':
      return {
        type: 'approval',
        approval_id: news.approvalId,
        execution_id: news.executionId,
        endpoint: news.slug,
        status: news.state === 'pending' ? 'pending_approval' : news.state,
      };
    case 'agent':
      return {
        type: 'agent',
        agent_name: news.agentName,
        status: news.isConnected ? 'connected' : 'gone',
      };
    case 'pipeline_run':
      return { type: 'pipeline_run', run_id: news.runId, pipeline: news.slug, status: news.state };
    case 'pipeline_node':
      return {
        type: 'pipeline_node',
        run_id: news.runId,
        node: news.nodeId,
        status: news.state,
        ...(news.executionId !== undefined && { execution_id: news.executionId }),
      };
    case 'quota':
      return { type: 'quota', percent: news.percent, used: news.used, period: news.period };
    case 'change': {
      const { kind, id, name } = news.target;
      return { type: 'change', action: news.action, kind, id, name };
    }
  }
}
