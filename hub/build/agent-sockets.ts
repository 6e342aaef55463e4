import type { AgentFrameOf } from '@svc/core/protocol/frame';
import type { OpenLinkSocket } from '@svc/core/protocol/link-socket';
import { Refusal, refuse } from '@svc/core/refusal';
import type { Logger } from 'pino';
import { AdmissionControl } from '../agent-links/admission-control.ts';
import { ConnectedJournal } from '../agent-links/connected-journal.ts';
import { localLinks } from '../agent-links/local-link.ts';
import type { AgentRegistry } from '../agent-links/registry.ts';
import { AgentSocket } from '../agent-links/socket.ts';
import type { BoundProcess, SocketActions } from '../agent-links/socket-actions.ts';
import { upgradeAgent } from '../agent-links/upgrade.ts';
import { type Admitted, admitAgent, isStillAdmitted } from '../agents/admit-agent.ts';
import { bindToken, refusedEntry } from '../agents/bind-token.ts';
import type { AgentProcess } from '../agents/directory-ports.ts';
import { isHost } from '../agents/host-address.ts';
import type { AgentWatch } from '../agents/watch-agents.ts';
import { FailedAttempts } from '../approvals/failed-attempts.ts';
import { receiveEnd, receiveInputWant, receiveOutput } from '../dispatch/receive.ts';
import { reconcileAgent } from '../dispatch/reconcile-agent.ts';
import { eraseArgs } from '../executions/recorded-args.ts';
import { endedRuns } from '../hosted/ended-runs.ts';
import { hostRefusal } from '../hosted/host-refusal.ts';
import { refusalResponse } from '../platform/http/json-response.ts';
import { type RegisterDeps, registerEndpoints } from '../registrations/register-endpoints.ts';
import { AgentFigures } from '../telemetry/execution-figures.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { HubContext } from './hub-context.ts';
import type { RequestHandlers } from './listen.ts';

const NOTHING_REGISTERED = { registered: [], refused: [], warnings: [] };

/** The observers of agents besides the use cases. */
interface AgentObservers {
  readonly watch: AgentWatch;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** The writes that connects and disconnects cause. */
  readonly backgroundWrites: BackgroundWrites;
}

/** The use case for each frame of an agent. */
export function socketActions(
  context: HubContext & Pick<RegisterDeps, 'definitions'>,
  { watch, metrics, logger, backgroundWrites }: AgentObservers,
): SocketActions {
  const { knownAgents, knownHosts, hubId, clock } = context;
  const admission = new AdmissionControl();
  const figures = new AgentFigures(metrics.figures);
  const agentJournal = new ConnectedJournal(context, logger);
  const hostGone = (process: AgentProcess) => {
    backgroundWrites.run(() => knownHosts.gone(process.instance, { hubId, nowMs: clock.nowMs() }));
    backgroundWrites.run(() => context.journalMarks.gone(process));
    context.gracePeriods.begin(process);
    figures.gone(process);
    logger.info({ instance: process.instance }, 'a host of the hosted runner is gone');
  };
  const refusedNames = new FailedAttempts();
  const bindAgent = async (admitted: Admitted, hello: AgentFrameOf<'hello'>): Promise<BoundProcess> => {
    const { agent: agentName, instance, host } = hello;
    const replaces = hello.journal?.renewed?.replaces;
    const claimed = { agentName, instance, hostname: host.hostname, replaces };
    const bound = await bindToken(context, admitted, claimed);
    if (bound.kind === 'bound' || bound.token === undefined) return bound;
    // The limit of entries, so that an agent that retries cannot fill the audit log.
    if (refusedNames.isNew(bound.token.id, `${admitted.address} ${agentName}`))
      await context.credentials.noteNameRefused(refusedEntry(context, admitted, bound.token, claimed));
    return bound;
  };
  return {
    async admit(isWanted, hello) {
      const beganAtMs = performance.now();
      await admission.admit(isWanted, hello);
      if (isWanted()) metrics.figures.registration.observeSince(beganAtMs);
    },
    isStillAdmitted: (admitted) => isStillAdmitted(context, admitted),
    async bind(admitted, hello) {
      const message = await hostRefusal(context, admitted, hello);
      if (message !== undefined) return { kind: 'refused', message };
      if (isHost(admitted.token)) return await bindHost(context, admitted, hello);
      return await bindAgent(admitted, hello);
    },
    // A host has no endpoints of its own: each order contains the whole definition.
    register: async (agent, announced) =>
      isHost(agent) ? NOTHING_REGISTERED : await registerEndpoints(context, agent, announced),
    journalRefusal: (process, journal, replaces) => agentJournal.refusal(process, journal, replaces),
    endedRuns: (runIds) => endedRuns(context, runIds),
    reconcile: (process, inFlight) => reconcileAgent(context, process, inFlight),
    output(from, chunk) {
      const { length } = chunk.sse;
      const received = receiveOutput(context, from, chunk);
      // The memory of the chunk may be released by now.
      if (received === 'taken') metrics.output(chunk.executionId, length);
      return received;
    },
    end: (from, end) => receiveEnd(context, from, end),
    inputWanted: (from, frame) => void receiveInputWant(context, from, frame).catch(context.reportBug),
    confirmed: (id) => void eraseArgs(context, id).catch(context.reportBug),
    connected(process, host, journal) {
      backgroundWrites.run(async () => {
        await knownAgents.connected(process, host, { hubId, nowMs: clock.nowMs() });
        await agentJournal.connected(process, journal);
      });
      backgroundWrites.run(() => watch.connected(process));
      context.gracePeriods.end(process);
      figures.connected(process);
      logger.info({ agent: process.name, instance: process.instance }, 'agent connected');
      context.executions.resendCancels(process);
      context.queue.agentConnected(process.workspaceId).catch(context.reportBug);
    },
    hostConnected(process, host, journal) {
      backgroundWrites.run(async () => {
        await knownHosts.connected(host, { hubId, nowMs: clock.nowMs() });
        await agentJournal.connected(process, journal);
      });
      context.gracePeriods.end(process);
      figures.connected(process);
      const { instance, hostname, engine, capacity } = host;
      logger.info({ instance, hostname, engine, capacity }, 'a host of the hosted runner is connected');
      context.executions.resendCancels(process);
      context.queue.hostConnected();
    },
    gone(process) {
      if (isHost(process)) return hostGone(process);
      backgroundWrites.run(() => knownAgents.gone(process, { hubId, nowMs: clock.nowMs() }));
      backgroundWrites.run(() => context.journalMarks.gone(process));
      backgroundWrites.run(() => watch.gone(process));
      context.gracePeriods.begin(process);
      figures.gone(process);
      logger.info({ agent: process.name, instance: process.instance }, 'agent gone');
    },
    urlOf: ({ username }, slug) => `${context.settings.baseUrl}/v1/${username ?? '-'}/${slug}`,
    reportBug: context.reportBug,
  };
}

/** A host keeps its instance. It replaces only a process that came with the same token. */
async function bindHost(
  { knownHosts }: Pick<HubContext, 'knownHosts'>,
  { token }: Admitted,
  { instance, journal }: AgentFrameOf<'hello'>,
): Promise<BoundProcess> {
  const named = journal?.renewed?.replaces;
  const isOwn = named !== undefined && (await knownHosts.tokenOf(named)) === token.id;
  return { kind: 'bound', instance, credential: undefined, replaces: isOwn ? named : undefined };
}

/** Connects an agent in this process by its token, as long as the hub accepts agents. */
export function localAgentLinks(
  context: HubContext,
  registry: AgentRegistry,
  actions: SocketActions,
  isOpen: () => boolean,
): OpenLinkSocket {
  return localLinks({
    async admit(token) {
      if (!isOpen()) throw refuse('unavailable', 'the hub is stopping');
      return await admitAgent(context, token);
    },
    socketOf: (admitted) => new AgentSocket(admitted, registry, actions, context.hubId),
    reportBug: context.reportBug,
  });
}

/** Upgrades the connection of an agent, which authenticates with its token, to a WebSocket. */
export function agentRequestHandler(
  context: HubContext,
  registry: AgentRegistry,
  actions: SocketActions,
): RequestHandlers['connectAgent'] {
  return async (request, server) => {
    const outcome = await upgradeAgent(
      request,
      server,
      async (token) => {
        const admitted = await admitAgent(context, token);
        return admitted && { ...admitted, address: context.addressOf(request) };
      },
      (admitted) => new AgentSocket(admitted, registry, actions, context.hubId),
    ).catch(refusalOf);
    if (outcome instanceof Refusal) return refusalResponse(outcome);
    if (outcome === 'upgraded') return undefined;
    return refusalResponse(
      outcome === 'unauthorized'
        ? refuse('unauthorized', 'a valid agent token is needed, as Authorization: Bearer')
        : refuse('invalid_argument', 'a WebSocket handshake expected'),
    );
  };
}

/** Refuses an agent while the store is unavailable; the agent tries again. A bug is thrown. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

/** Background writes. Only a stopping hub waits for them, before it closes its store. */
export class BackgroundWrites {
  readonly #reportBug: (error: unknown) => unknown;
  readonly #underWay = new Set<Promise<void>>();
  #isOver = false;

  constructor(reportBug: (error: unknown) => unknown) {
    this.#reportBug = reportBug;
  }

  run(work: () => Promise<unknown>): void {
    if (this.#isOver) return;
    const write: Promise<void> = work()
      .then(() => undefined)
      .catch((error: unknown) => {
        if (!this.#isOver) this.#reportBug(error);
      })
      .finally(() => this.#underWay.delete(write));
    this.#underWay.add(write);
  }

  /** Resolves when no write is running, including writes that begin in the meantime. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** The store is about to be closed: no new write begins, and running writes may fail because of that. */
  end(): void {
    this.#isOver = true;
  }
}
