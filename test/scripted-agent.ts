import { hash } from 'node:crypto';
import { parseConfig } from '@svc/core/config/parse-config';
import type { EndingRun } from '@svc/core/execution/frame';
import { OutputEncoder } from '@svc/core/execution/output-encoder';
import { definitionOfPipeline } from '@svc/core/pipeline/definition/definition-of-pipeline';
import { canonicalDefinition } from '@svc/core/protocol/canonical';
import { alertDefinition, definitionOf } from '@svc/core/protocol/definition';
import {
  type AgentFrame,
  type AgentFrameOf,
  decodeHubFrame,
  encodeFrame,
  type HubFrame,
  type HubFrameOf,
  type WireEnding,
} from '@svc/core/protocol/frame';
import { encodeOutputFrame } from '@svc/core/protocol/output-frame';
import { configText, type EndpointYaml, type PipelineYaml } from './config-text.ts';

export interface ScriptedOptions {
  readonly hubUrl: string;
  readonly token: string;
  readonly endpoints: readonly EndpointYaml[];
  /** Absent: an agent that does not know pipelines. */
  readonly pipelines?: readonly PipelineYaml[];
  readonly name?: string;
  readonly instance?: string;
  readonly boot?: string;
  readonly isLocalOnly?: boolean;
  /** False for one that the network keeps from answering. */
  readonly answersPings?: boolean;
  /** How far its journal has come. */
  readonly journal?: AgentFrameOf<'hello'>['journal'];
  /** A host of the hosted runner. */
  readonly runner?: { readonly capacity?: number; readonly volumes?: readonly string[] };
  readonly inFlight?: readonly {
    readonly execution_id: string;
    readonly last_seq: number;
    readonly ended: boolean;
  }[];
}

/** An agent played by a test, over a real socket: it sends exactly the frames of the test, valid or not. */
export class ScriptedAgent implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #frames: HubFrame[] = [];
  readonly #waiting = new Set<() => void>();
  #answersPings = true;
  #pings = 0;
  /** The code with which the hub closed. */
  readonly closed: Promise<number>;
  #isClosed = false;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#take(String(data)));
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code }) => {
        this.#isClosed = true;
        this.#wake();
        resolve(code);
      });
    });
  }

  /** Connects and says nothing. */
  static async dial({ hubUrl, token }: Pick<ScriptedOptions, 'hubUrl' | 'token'>): Promise<ScriptedAgent> {
    const socket = new WebSocket(`${hubUrl.replace('http', 'ws')}/agents/connect`, {
      headers: { authorization: `Bearer ${token}` },
    } as unknown as string[]);
    const agent = new ScriptedAgent(socket);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error('the hub refused the connection')));
    });
    return agent;
  }

  /** Connects, says hello and is welcomed. */
  static async connect(
    options: ScriptedOptions,
  ): Promise<ScriptedAgent & { welcome: HubFrameOf<'welcome'> }> {
    const agent = await ScriptedAgent.dial(options);
    agent.#answersPings = options.answersPings ?? true;
    agent.say(hello(options));
    return Object.assign(agent, { welcome: await agent.receive('welcome') });
  }

  say(frame: AgentFrame): void {
    this.#socket.send(encodeFrame(frame));
  }

  sayRaw(data: string | Uint8Array): void {
    this.#socket.send(data as Uint8Array<ArrayBuffer>);
  }

  /** The first frame of this type that the test has not received yet. */
  async receive<Type extends HubFrame['type']>(
    type: Type,
    matches: (frame: HubFrameOf<Type>) => boolean = () => true,
  ): Promise<HubFrameOf<Type>> {
    for (;;) {
      const at = this.#frames.findIndex((frame) => frame.type === type && matches(frame as HubFrameOf<Type>));
      if (at >= 0) return this.#frames.splice(at, 1)[0] as HubFrameOf<Type>;
      if (this.#isClosed) throw new Error(`the connection closed before a frame "${type}"`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Settles when the hub has taken all that was said so far: it answers frames in their order. */
  async untilTaken(): Promise<void> {
    this.#pings += 1;
    const n = this.#pings;
    this.say({ type: 'ping', n });
    await this.receive('pong', (frame) => frame.n === n);
  }

  /** The number of frames of a type that the test has not received. */
  unread(type: HubFrame['type']): number {
    return this.#frames.filter((frame) => frame.type === type).length;
  }

  /** One numbered piece of output; the text becomes events. */
  output(executionId: string, seq: number, text: string): void {
    this.sayRaw(outputFrame(executionId, seq, text));
  }

  end(executionId: string, lastSeq: number, ending: WireEnding = EXITED): void {
    this.say({ type: 'ended', execution_id: executionId, last_seq: lastSeq, ending });
  }

  /** Plays a whole execution. */
  async answer(text: string, ending?: WireEnding): Promise<string> {
    const { execution_id: id } = await this.receive('run');
    this.output(id, 1, text);
    this.end(id, 1, ending);
    return id;
  }

  /** Cuts the connection without a word. */
  async vanish(): Promise<void> {
    (this.#socket as unknown as { terminate(): void }).terminate();
    await this.closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isClosed) await this.vanish();
  }

  #take(text: string): void {
    const decoded = decodeHubFrame(text);
    if (decoded.kind === 'refused') throw new Error(`the hub sent what is no frame: ${decoded.message}`);
    if (decoded.frame.type !== 'ping') this.#frames.push(decoded.frame);
    else if (this.#answersPings) this.say({ type: 'pong', n: decoded.frame.n });
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

export const EXITED: WireEnding = { kind: 'exited', exit_code: 0, duration_ms: 5 };
export const INSTANCE = '11111111-1111-4111-8111-111111111111';

/** The hello of an agent that has a file with these endpoints and pipelines. */
export function hello({
  endpoints,
  pipelines,
  name,
  instance,
  boot,
  inFlight,
  isLocalOnly = false,
  runner,
  journal,
}: Omit<ScriptedOptions, 'hubUrl' | 'token'>) {
  return {
    type: 'hello',
    protocol: { min: 1, max: 1 },
    agent: name ?? (runner ? 'hosted' : 'default'),
    instance: instance ?? INSTANCE,
    boot: boot ?? 'boot-1',
    process: crypto.randomUUID(),
    version: '0.0.0',
    host: { hostname: 'test', os: 'linux', arch: 'x64' },
    local_only: isLocalOnly,
    revision: 1,
    endpoints: announcements(endpoints),
    ...(pipelines && { pipelines: pipelineAnnouncements(pipelines) }),
    in_flight: [...(inFlight ?? [])],
    ...(journal && { journal }),
    ...(runner && {
      runner: { engine: 'script', capacity: runner.capacity ?? 100, volumes: [...(runner.volumes ?? [])] },
    }),
  } as const satisfies AgentFrame;
}

export function announcements(endpoints: readonly EndpointYaml[]) {
  const parsed = parseConfig(configText(endpoints));
  if (parsed.kind === 'problems') throw new Error(JSON.stringify(parsed.problems));
  return parsed.config.endpoints.map((endpoint) => {
    const definition = definitionOf(endpoint);
    return {
      name: endpoint.slug,
      hash: hash('sha256', canonicalDefinition(definition)),
      definition,
      ...(endpoint.alerts && { alerts: endpoint.alerts.map(alertDefinition) }),
    };
  });
}

export function pipelineAnnouncements(pipelines: readonly PipelineYaml[]) {
  const parsed = parseConfig(configText([], pipelines));
  if (parsed.kind === 'problems') throw new Error(JSON.stringify(parsed.problems));
  return parsed.config.pipelines.map((pipeline) => ({
    name: pipeline.slug,
    definition: definitionOfPipeline(pipeline),
  }));
}

export function outputFrame(executionId: string, seq: number, text: string): Uint8Array {
  const encoder = new OutputEncoder();
  const frames = [encoder.push(new TextEncoder().encode(text)), encoder.end()].filter(
    (frame) => frame !== undefined,
  );
  const endings: EndingRun[] = [];
  let lines = 0;
  for (const frame of frames) {
    for (const [first, count, ending] of frame.endings) endings.push([first + lines, count, ending]);
    lines += frame.lines;
  }
  const bytes = Buffer.concat(frames.map(({ sse }) => sse));
  return encodeOutputFrame({
    kind: 'output',
    executionId,
    seq,
    endings: endings.length > 0 ? JSON.stringify(endings) : undefined,
    bytes,
  });
}
