import type { Logger } from 'pino';
import { Reception } from '../agents/reception.ts';
import type { SocketActions } from '../agents/socket.ts';
import { boundAgentNames, isStillAdmitted, nameRefusal } from '../engine/agent/admit-agent.ts';
import { receiveEnd, receiveOutput } from '../engine/agent/receive.ts';
import { type RegisterPorts, registerEndpoints } from '../engine/agent/register-endpoints.ts';
import { settleAgent } from '../engine/agent/settle-agent.ts';
import type { AgentWatch } from '../engine/alert/watch-agents.ts';
import { eraseArgs } from '../engine/execution/erase-args.ts';
import type { HubContext } from '../http/context.ts';

/** What agents say, as use cases. */
export function socketActions(
  context: HubContext & Pick<RegisterPorts, 'definitions'>,
  watch: AgentWatch,
  logger: Logger,
): SocketActions {
  const { knownAgents, hubId, clock, reportBug } = context;
  const reception = new Reception();
  return {
    letIn: async (isWanted, hello) => void (await reception.admit(isWanted, hello)),
    isStillAdmitted: (admitted) => isStillAdmitted(context, admitted),
    nameRefusal: async ({ token }, name) =>
      nameRefusal(
        token,
        name,
        token.agentName === undefined ? await boundAgentNames(context, token.workspaceId) : [],
      ),
    register: (agent, announced) => registerEndpoints(context, agent, announced),
    settle: (process, inFlight) => settleAgent(context, process, inFlight),
    output: (from, chunk) => receiveOutput(context, from, chunk),
    end: (from, end) => receiveEnd(context, from, end),
    confirmed: (id) => void eraseArgs(context, id).catch(context.reportBug),
    connected(process, host) {
      knownAgents.connected(process, host, { hubId, nowMs: clock.nowMs() }).catch(reportBug);
      watch.connected(process).catch(reportBug);
      context.absences.end(process);
      logger.info({ agent: process.name, instance: process.instance }, 'agent connected');
      context.executions.cancelAgain(process);
      context.queue.agentCame(process.workspaceId).catch(context.reportBug);
    },
    gone(process) {
      knownAgents.gone(process, { hubId, nowMs: clock.nowMs() }).catch(reportBug);
      watch.gone(process).catch(reportBug);
      context.absences.begin(process);
      logger.info({ agent: process.name, instance: process.instance }, 'agent gone');
    },
    urlOf: ({ username }, slug) => `${context.settings.baseUrl}/v1/${username ?? '-'}/${slug}`,
    reportBug: context.reportBug,
  };
}
