import type { Config } from '@svc/core/config/parse-config';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { definitionOfPipeline } from '@svc/core/pipeline/definition/definition-of-pipeline';
import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { canonicalDefinition } from '@svc/core/protocol/canonical';
import { definitionOf, type WireDefinition } from '@svc/core/protocol/definition';
import type { AnnouncedEndpoint, PipelineAnnouncement } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';

/** Room in a frame for everything besides what is announced. */
const OTHER_BYTES = 1024 * 1024;
const MOST_BYTES = LINK_LIMITS.largeTextFrameBytes - OTHER_BYTES;

/** What of a file is announced; pipelines are run by the hub. */
type Announceable = Pick<Config, 'endpoints' | 'pipelines'>;

/** What is in the agent's own file: what it announces, and the endpoints that it runs by their hash (decision 32). */
export class AnnouncedDefinitions {
  #byHash: ReadonlyMap<string, Endpoint> = new Map();
  #announced: readonly AnnouncedEndpoint[] = [];
  #pipelines: readonly PipelineAnnouncement[] = [];
  #revision = 0;

  /** Counts the changes. */
  get revision(): number {
    return this.#revision;
  }

  get announced(): readonly AnnouncedEndpoint[] {
    return this.#announced;
  }

  get pipelines(): readonly PipelineAnnouncement[] {
    return this.#pipelines;
  }

  /** From now on these are all; what was before runs no more. */
  replace({ endpoints, pipelines }: Announceable): void {
    this.#announced = endpoints.map(announcementOf);
    this.#pipelines = pipelines.map(pipelineAnnouncement);
    this.#byHash = new Map(
      endpoints.map((endpoint, index) => [this.#announced[index]?.hash ?? '', endpoint]),
    );
    this.#revision += 1;
  }

  find(hash: string): Endpoint | undefined {
    return this.#byHash.get(hash);
  }
}

/** The hash that names a definition. */
export function hashOf(definition: WireDefinition): string {
  return new Bun.CryptoHasher('sha256').update(canonicalDefinition(definition)).digest('hex');
}

/** Why a file has more in it than can be announced; undefined when it has not. */
export function announcementProblem(file: Announceable): string | undefined {
  for (const kind of ['endpoints', 'pipelines'] as const) {
    const { length } = file[kind];
    if (length > LINK_LIMITS[kind])
      return `${length} ${kind} are too many for one agent: at most ${LINK_LIMITS[kind]} are accepted`;
  }
  const announced = [...file.endpoints.map(announcementOf), ...file.pipelines.map(pipelineAnnouncement)];
  const bytes = Buffer.byteLength(JSON.stringify(announced));
  if (bytes <= MOST_BYTES) return undefined;
  return `endpoints and pipelines have ${bytes} bytes together: at most ${MOST_BYTES} can be announced`;
}

function announcementOf(endpoint: Endpoint): AnnouncedEndpoint {
  const definition = definitionOf(endpoint);
  return { name: endpoint.slug, hash: hashOf(definition), definition };
}

function pipelineAnnouncement(pipeline: Pipeline): PipelineAnnouncement {
  return { name: pipeline.slug, definition: definitionOfPipeline(pipeline) };
}
