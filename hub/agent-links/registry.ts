import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import type { ExecutionOrder } from '@svc/core/protocol/frame';
import { encodeFrame } from '@svc/core/protocol/frame';
import { candidates } from '../agents/candidates.ts';
import type { AgentAddress, AgentDirectory, AgentProcess, InputMessage } from '../agents/directory-ports.ts';
import { isHosted, NO_WORKSPACE } from '../agents/host-address.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { HostedHosts, RetainedHost } from '../hosted/hosted-ports.ts';
import type { Connection } from './connection.ts';

/** Sends an order to an agent, and may add to it on the way: a trace context, for example. */
export type SendOrder = (
  to: AgentProcess,
  order: ExecutionOrder,
  send: (order: ExecutionOrder) => boolean,
) => boolean;

/**
 * The agent processes that are connected to this hub, one connection each (decision 28, the connection of an agent; decision 31,
 * which agent runs an endpoint).
 */
export class AgentRegistry implements AgentDirectory, HostedHosts {
  /** By workspace. */
  readonly #connections = new Map<string, Set<Connection>>();
  readonly #sendOrder: SendOrder;
  #count = 0;

  constructor(sendOrder: SendOrder = (_, order, send) => send(order)) {
    this.#sendOrder = sendOrder;
  }

  get count(): number {
    return this.#count;
  }

  /** Returns the connection that the new one displaces. */
  add(connection: Connection): Connection | undefined {
    const { workspaceId } = connection.process;
    const older = this.#find(connection.process);
    if (older !== undefined) this.remove(older);
    const all = this.#connections.get(workspaceId) ?? new Set();
    this.#connections.set(workspaceId, all.add(connection));
    this.#count += 1;
    return older;
  }

  /** False when another connection has replaced it. */
  remove(connection: Connection): boolean {
    const { workspaceId } = connection.process;
    const all = this.#connections.get(workspaceId);
    if (!all?.delete(connection)) return false;
    this.#count -= 1;
    if (all.size === 0) this.#connections.delete(workspaceId);
    return true;
  }

  isCurrent(connection: Connection): boolean {
    return this.#connections.get(connection.process.workspaceId)?.has(connection) === true;
  }

  all(): Connection[] {
    return [...this.#connections.values()].flatMap((connections) => [...connections]);
  }

  choose(
    endpoint: RegisteredEndpoint,
    mayHave: (process: AgentProcess) => boolean = () => true,
  ): AgentProcess | undefined {
    if (isHosted(endpoint)) return leastLoaded(this.#hosts())?.process;
    let chosen: Connection | undefined;
    let localOnly: Connection | undefined;
    let withoutSecrets: Connection | undefined;
    for (const connection of this.#candidates(endpoint)) {
      if (connection.isLeaving) continue;
      if (connection.isRefusing(endpoint)) {
        if (endpoint.source === 'api') localOnly ??= connection;
        continue;
      }
      if (!mayHave(connection.process)) {
        withoutSecrets ??= connection;
        continue;
      }
      if (chosen === undefined || connection.load < chosen.load) chosen = connection;
    }
    // The agent itself refuses the execution: the caller gets 403, and the record has the reason (decision 32, commands of a file
    // stay on the agent).
    return (chosen ?? withoutSecrets ?? localOnly)?.process;
  }

  reserveSlot(of: AgentAddress): () => void {
    return this.#find(of)?.reserveSlot() ?? (() => undefined);
  }

  run(to: AgentProcess, order: ExecutionOrder, isToBeConfirmed: boolean): boolean {
    return this.#sendOrder(to, order, (it) => this.#find(to)?.run(it, isToBeConfirmed) === true);
  }

  /** The workspaces with connected agents, including the placeholder for hosts of the hosted runner. */
  workspaces(): string[] {
    return [...this.#connections.keys()];
  }

  /** Asks every agent to connect to another hub. */
  moveAll(): void {
    for (const connection of this.all()) connection.move();
  }

  askToMove(of: AgentAddress): void {
    this.#send(of, { type: 'move' });
  }

  cancel(to: AgentAddress, executionId: string): void {
    this.#send(to, { type: 'cancel', execution_id: executionId });
  }

  input(to: AgentAddress, message: InputMessage): void {
    this.#find(to)?.send(message instanceof Uint8Array ? message : encodeFrame(message));
  }

  acknowledge(to: AgentAddress, executionId: string, seq: number): void {
    this.#send(to, { type: 'ack', execution_id: executionId, seq });
  }

  acknowledgeEnd(to: AgentAddress, executionId: string): void {
    this.#find(to)?.ended(executionId);
    this.#send(to, { type: 'ended_ack', execution_id: executionId });
  }

  disconnectToken(tokenId: string): void {
    for (const connection of this.all()) {
      if (connection.tokenId !== tokenId) continue;
      connection.close(CLOSE_CODES.unauthorized, 'the token was revoked');
    }
  }

  disconnectWorkspace(workspaceId: string): void {
    for (const connection of [...(this.#connections.get(workspaceId) ?? [])])
      connection.close(CLOSE_CODES.unauthorized, 'the workspace was deleted');
  }

  isOnline(workspaceId: string): boolean {
    return this.#connections.has(workspaceId);
  }

  connected(workspaceId: string): readonly AgentProcess[] {
    return [...(this.#connections.get(workspaceId) ?? [])].map(({ process }) => process);
  }

  reserveHost(instance?: string): RetainedHost | undefined {
    const connection = leastLoaded(
      this.#hosts(instance).filter(({ host, process }) => host?.hasRoom(process.running)),
    );
    if (connection?.host === undefined) return undefined;
    const releases = [connection.host.reserveSlot(), connection.reserveSlot()];
    return {
      process: connection.process,
      release() {
        for (const each of releases) each();
      },
    };
  }

  hasHost(instance?: string): boolean {
    return this.#hosts(instance).length > 0;
  }

  volumes(): readonly string[] {
    return [...new Set(this.#hosts().flatMap(({ host }) => [...(host?.volumes ?? [])]))];
  }

  notifyRunEnded(runId: string): void {
    for (const connection of this.#hosts()) {
      if (!connection.host?.volumes.has(runId)) continue;
      connection.host.drops(runId);
      connection.send(encodeFrame({ type: 'run_ended', run_id: runId }));
    }
  }

  /** The number of hosts, their capacity and their running executions. */
  hostFigures(): { readonly connected: number; readonly capacity: number; readonly running: number } {
    const hosts = [...(this.#connections.get(NO_WORKSPACE) ?? [])];
    const sum = (of: (connection: Connection) => number) => hosts.reduce((total, one) => total + of(one), 0);
    return {
      connected: hosts.length,
      capacity: sum(({ host }) => host?.capacity ?? 0),
      running: sum(({ process }) => process.running),
    };
  }

  /** The hosts that accept work, or the one with this instance. */
  #hosts(instance?: string): Connection[] {
    return [...(this.#connections.get(NO_WORKSPACE) ?? [])].filter(
      ({ isLeaving, process }) => !isLeaving && (instance === undefined || process.instance === instance),
    );
  }

  #candidates(target: RegisteredEndpoint): readonly Connection[] {
    const all = this.#connections.get(target.workspaceId);
    return all === undefined ? [] : candidates(target, all, ({ process }) => process.name);
  }

  #send(to: AgentAddress, frame: Parameters<typeof encodeFrame>[0]): void {
    this.#find(to)?.send(encodeFrame(frame));
  }

  #find({ workspaceId, name, instance }: AgentAddress): Connection | undefined {
    for (const connection of this.#connections.get(workspaceId) ?? []) {
      const { process } = connection;
      if (process.instance === instance && process.name === name) return connection;
    }
    return undefined;
  }
}

function leastLoaded(connections: readonly Connection[]): Connection | undefined {
  const load = ({ host, process }: Connection) => host?.load(process.running) ?? Number.POSITIVE_INFINITY;
  return connections.toSorted((a, b) => load(a) - load(b))[0];
}
