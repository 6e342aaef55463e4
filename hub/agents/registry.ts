import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import { encodeFrame } from '@svc/core/protocol/frame';
import type {
  AgentAddress,
  AgentDirectory,
  AgentProcess,
  RunOrder,
} from '../engine/ports/agent-directory.ts';
import type { RegisteredEndpoint } from '../engine/ports/endpoints.ts';
import type { Connection } from './connection.ts';

const DEFAULT_NAME = 'default';

/** Who is here: the agent processes that are connected to this hub, one connection each (decisions 28 and 31). */
export class AgentRegistry implements AgentDirectory {
  /** By workspace. */
  readonly #connections = new Map<string, Set<Connection>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The connection that the new one displaces is answered. */
  add(connection: Connection): Connection | undefined {
    const { workspaceId } = connection.process;
    const older = this.#find(connection.process);
    if (older !== undefined) this.remove(older);
    const all = this.#connections.get(workspaceId) ?? new Set();
    this.#connections.set(workspaceId, all.add(connection));
    this.#count += 1;
    return older;
  }

  /** False when it was not there any more: another has taken its place. */
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

  choose(endpoint: RegisteredEndpoint): AgentProcess | undefined {
    let chosen: Connection | undefined;
    let localOnly: Connection | undefined;
    for (const connection of this.#candidates(endpoint)) {
      if (connection.isLeaving) continue;
      if (connection.isRefusing(endpoint)) {
        if (endpoint.source === 'api') localOnly ??= connection;
        continue;
      }
      if (chosen === undefined || connection.process.running < chosen.process.running) chosen = connection;
    }
    // It says itself that it does not run this: the caller is told by 403, and the record has it (decision 32).
    return (chosen ?? localOnly)?.process;
  }

  run(to: AgentProcess, order: RunOrder): boolean {
    return this.#find(to)?.run(order) === true;
  }

  askAgain(of: AgentAddress): void {
    this.#send(of, { type: 'move' });
  }

  cancel(to: AgentAddress, executionId: string): void {
    this.#send(to, { type: 'cancel', execution_id: executionId });
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
      connection.close(CLOSE_CODES.unauthorized, 'the agent token was revoked');
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

  /** `default` means the agent of that name, else the only one that is connected (decision 31). */
  *#candidates({ workspaceId, endpoint, registeredBy }: RegisteredEndpoint): Generator<Connection> {
    const all = this.#connections.get(workspaceId);
    if (all === undefined) return;
    const name = endpoint.agentName ?? registeredBy ?? DEFAULT_NAME;
    let hasNamed = false;
    for (const connection of all) {
      if (connection.process.name !== name) continue;
      hasNamed = true;
      yield connection;
    }
    if (hasNamed || name !== DEFAULT_NAME) return;
    const names = new Set([...all].map(({ process }) => process.name));
    if (names.size === 1) yield* all;
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
