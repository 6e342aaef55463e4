import type { Logger } from 'pino';
import { Reception } from '../agents/reception.ts';
import type { SocketActions } from '../agents/socket.ts';
import { boundAgentNames, isStillAdmitted, nameRefusal } from '../engine/agent/admit-agent.ts';
import { receiveEnd, receiveOutput } from '../engine/agent/receive.ts';
import { type RegisterPorts, registerEndpoints } from '../engine/agent/register-endpoints.ts';
import { settleAgent } from '../engine/agent/settle-agent.ts';
import type { AgentWatch } from '../engine/alert/watch-agents.ts';
import { eraseArgs } from '../engine/execution/erase-args.ts';
import { endedRuns } from '../engine/hosted/ended-runs.ts';
import { isHost } from '../engine/hosted/host-address.ts';
import { hostRefusal } from '../engine/hosted/host-refusal.ts';
import type { AgentProcess } from '../engine/ports/agent-directory.ts';
import type { HubContext } from '../http/context.ts';
import { AgentFigures } from '../http/metrics/agent-figures.ts';
import type { Metrics } from '../http/metrics/metrics.ts';

const NOTHING_REGISTERED = { registered: [], refused: [], warnings: [] };

/** Who hears of agents besides the use cases. */
export interface AgentObservers {
  readonly watch: AgentWatch;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** What agents say, as use cases. */
export function socketActions(
  context: HubContext & Pick<RegisterPorts, 'definitions'>,
  { watch, metrics, logger }: AgentObservers,
): SocketActions {
  const { knownAgents, knownHosts, hubId, clock, reportBug } = context;
  const reception = new Reception();
  const figures = new AgentFigures(metrics.figures);
  const hostGone = (process: AgentProcess) => {
    knownHosts.gone(process.instance, { hubId, nowMs: clock.nowMs() }).catch(reportBug);
    context.absences.begin(process);
    figures.gone(process);
    logger.info({ instance: process.instance }, 'a host of the hosted runner is gone');
  };
  return {
    async letIn(isWanted, hello) {
      const beganAtMs = performance.now();
      await reception.admit(isWanted, hello);
      if (isWanted()) metrics.figures.registration.observeSince(beganAtMs);
    },
    isStillAdmitted: (admitted) => isStillAdmitted(context, admitted),
    async nameRefusal(admitted, hello) {
      const { token } = admitted;
      const refusal = await hostRefusal(context, admitted, hello);
      if (refusal !== undefined || isHost(token)) return refusal;
      const isBound = token.agentName !== undefined;
      return nameRefusal(
        token,
        hello.agent,
        isBound ? [] : await boundAgentNames(context, token.workspaceId),
      );
    },
    // A host has no endpoints of its own: what it runs is sent to it whole.
    register: async (agent, announced) =>
      isHost(agent) ? NOTHING_REGISTERED : await registerEndpoints(context, agent, announced),
    endedRuns: (runIds) => endedRuns(context, runIds),
    settle: (process, inFlight) => settleAgent(context, process, inFlight),
    output(from, chunk) {
      const { length } = chunk.sse;
      const received = receiveOutput(context, from, chunk);
      // Its bytes may be gone by now.
      if (received === 'taken') metrics.output(chunk.executionId, length);
      return received;
    },
    end: (from, end) => receiveEnd(context, from, end),
    confirmed: (id) => void eraseArgs(context, id).catch(context.reportBug),
    connected(process, host) {
      knownAgents.connected(process, host, { hubId, nowMs: clock.nowMs() }).catch(reportBug);
      watch.connected(process).catch(reportBug);
      context.absences.end(process);
      figures.connected(process);
      logger.info({ agent: process.name, instance: process.instance }, 'agent connected');
      context.executions.cancelAgain(process);
      context.queue.agentCame(process.workspaceId).catch(context.reportBug);
    },
    hostConnected(process, host) {
      knownHosts.connected(host, { hubId, nowMs: clock.nowMs() }).catch(reportBug);
      context.absences.end(process);
      figures.connected(process);
      const { instance, hostname, engine, capacity } = host;
      logger.info({ instance, hostname, engine, capacity }, 'a host of the hosted runner is connected');
      context.executions.cancelAgain(process);
      context.line.review();
    },
    gone(process) {
      if (isHost(process)) return hostGone(process);
      knownAgents.gone(process, { hubId, nowMs: clock.nowMs() }).catch(reportBug);
      watch.gone(process).catch(reportBug);
      context.absences.begin(process);
      figures.gone(process);
      logger.info({ agent: process.name, instance: process.instance }, 'agent gone');
    },
    urlOf: ({ username }, slug) => `${context.settings.baseUrl}/v1/${username ?? '-'}/${slug}`,
    reportBug: context.reportBug,
  };
}
