import type { EndpointYaml } from './config-text.ts';
import { type HubWorld, type HubWorldOptions, hubWorld } from './hub-world.ts';
import { eventsOf, makePipeline, messagesOf, postOf, showRun, type WholeRun } from './pipelines.ts';
import type { ScriptedAgent } from './scripted-agent.ts';

type RunNode = WholeRun['nodes'][number];
type Agent = Awaited<ReturnType<HubWorld['agent']>>;

/** A hub with an agent that the test plays, and runs of pipelines on the two. */
export class EngineRuns implements AsyncDisposable {
  readonly world: HubWorld;
  agent: Agent;

  static async make(endpoints: readonly EndpointYaml[], options: HubWorldOptions = {}): Promise<EngineRuns> {
    const world = await hubWorld({ ...options, env: { SVC_RATE_LIMITS: 'off', ...options.env } });
    return new EngineRuns(world, await world.agent({ endpoints }));
  }

  private constructor(world: HubWorld, agent: Agent) {
    this.world = world;
    this.agent = agent;
  }

  /** Makes a pipeline of these nodes and begins a run of it. */
  async begin(slug: string, nodes: readonly object[], more: object = {}): Promise<string> {
    await makePipeline(this.world, { slug, trigger: { type: 'manual' }, nodes, ...more });
    return await this.start(slug);
  }

  async start(slug: string, input: object = {}): Promise<string> {
    const response = await this.world.manage('/pipeline-runs', postOf({ pipeline: slug, input }));
    if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
    return ((await response.json()) as { run_id: string }).run_id;
  }

  show(id: string): Promise<WholeRun> {
    return showRun(this.world, id);
  }

  /** Settles when it has ended. */
  async ended(id: string): Promise<WholeRun> {
    await eventsOf(await this.world.manage(`/pipeline-runs/${id}/stream`));
    return await this.show(id);
  }

  /** Settles when a node is so. */
  until(id: string, node: string, status: string): Promise<RunNode> {
    return this.#untilNode(id, node, (found) => found.status === status);
  }

  /** Settles when a step has an execution that is so. */
  untilExecution(id: string, node: string, status: string): Promise<RunNode> {
    return this.#untilNode(id, node, ({ attempts }) => attempts.at(-1)?.status === status);
  }

  async #untilNode(id: string, node: string, isSo: (found: RunNode) => boolean): Promise<RunNode> {
    const changes = messagesOf(await this.world.manage(`/pipeline-runs/${id}/stream?events=nodes`));
    try {
      for (let isOver: boolean | undefined = false; !isOver; isOver = (await changes.next()).done) {
        const found = (await this.show(id)).nodes.find((one) => one.node === node);
        if (found !== undefined && isSo(found)) return found;
      }
    } finally {
      await changes.return(undefined);
    }
    throw new Error(`the run ended, and "${node}" is not what was waited for`);
  }

  cancel(id: string): Promise<Response> {
    return this.world.manage(`/pipeline-runs/${id}/cancel`, { method: 'POST' });
  }

  async decide(id: string, node: string, decision: 'approve' | 'deny'): Promise<void> {
    const { attempts } = await this.until(id, node, 'waiting_approval');
    const response = await this.world.manage(
      `/approvals/${attempts.at(-1)?.approval_id}/decide`,
      postOf({ decision }),
    );
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  }

  /** The order for a step. */
  ordered(step: string, agent: ScriptedAgent = this.agent) {
    return agent.receive('run', (frame) => frame.step === step);
  }

  /** Plays a step to its end; answers its order. */
  async play(step: string, { text = '', exitCode = 0, agent = this.agent } = {}) {
    const order = await this.ordered(step, agent);
    const { execution_id: id } = order;
    if (text !== '') agent.output(id, 1, text);
    agent.end(id, text === '' ? 0 : 1, { kind: 'exited', exit_code: exitCode, duration_ms: 1 });
    return order;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agent[Symbol.asyncDispose]();
    await this.world[Symbol.asyncDispose]();
  }
}

/** The state of each node, by its id. */
export function states({ nodes }: WholeRun): Record<string, string> {
  return Object.fromEntries(nodes.map(({ node, status }) => [node, status]));
}
