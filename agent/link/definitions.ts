import type { Config } from '@svc/core/config/parse-config';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { definitionOfPipeline } from '@svc/core/pipeline/definition/definition-of-pipeline';
import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { canonicalDefinition } from '@svc/core/protocol/canonical';
import { alertDefinition, definitionOf, type WireDefinition } from '@svc/core/protocol/definition';
import type { AnnouncedEndpoint, PipelineAnnouncement } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';

/** Bytes of a frame reserved for everything except the announcements. */
const OTHER_BYTES = 1024 * 1024;
const MAX_ANNOUNCED_BYTES = LINK_LIMITS.largeTextFrameBytes - OTHER_BYTES;

/** The parts of a file that an agent announces. The hub runs the pipelines. */
type Announceable = Pick<Config, 'endpoints' | 'pipelines'>;

/**
 * The definitions of the agent's own file: the agent announces them, and runs the endpoints by their hash (decision 32,
 * commands of a file stay on the agent).
 */
export class AnnouncedDefinitions {
  #byHash: ReadonlyMap<string, Endpoint> = new Map();
  #bySlug: ReadonlyMap<string, Endpoint> = new Map();
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

  /** Replaces all definitions. Earlier ones no longer run. */
  replace({ endpoints, pipelines }: Announceable): void {
    this.#announced = endpoints.map(announcementOf);
    this.#pipelines = pipelines.map(pipelineAnnouncement);
    this.#byHash = new Map(
      endpoints.map((endpoint, index) => [this.#announced[index]?.hash ?? '', endpoint]),
    );
    this.#bySlug = new Map(endpoints.map((endpoint) => [endpoint.slug, endpoint]));
    this.#revision += 1;
  }

  /** The endpoint of this name as it is now. */
  named(slug: string): Endpoint | undefined {
    return this.#bySlug.get(slug);
  }

  find(hash: string): Endpoint | undefined {
    return this.#byHash.get(hash);
  }
}

export function hashOf(definition: WireDefinition): string {
  return new Bun.CryptoHasher('sha256').update(canonicalDefinition(definition)).digest('hex');
}

/** Why a file exceeds what can be announced; undefined if it does not. */
export function announcementProblem(file: Announceable): string | undefined {
  for (const kind of ['endpoints', 'pipelines'] as const) {
    const { length } = file[kind];
    if (length > LINK_LIMITS[kind])
      return `${length} ${kind} are too many for one agent: at most ${LINK_LIMITS[kind]} are accepted`;
  }
  const announced = [...file.endpoints.map(announcementOf), ...file.pipelines.map(pipelineAnnouncement)];
  const bytes = Buffer.byteLength(JSON.stringify(announced));
  if (bytes <= MAX_ANNOUNCED_BYTES) return undefined;
  return `endpoints and pipelines have ${bytes} bytes together: at most ${MAX_ANNOUNCED_BYTES} can be announced`;
}

function announcementOf(endpoint: Endpoint): AnnouncedEndpoint {
  const definition = definitionOf(endpoint);
  const alerts = endpoint.alerts?.map(alertDefinition);
  return { name: endpoint.slug, hash: hashOf(definition), definition, ...(alerts && { alerts }) };
}

function pipelineAnnouncement(pipeline: Pipeline): PipelineAnnouncement {
  return { name: pipeline.slug, definition: definitionOfPipeline(pipeline) };
}
