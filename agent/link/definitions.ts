import type { Endpoint } from '@svc/core/endpoint/definition';
import { canonicalDefinition } from '@svc/core/protocol/canonical';
import { definitionOf, type WireDefinition } from '@svc/core/protocol/definition';
import type { AnnouncedEndpoint } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';

/** Room in a frame for everything besides the endpoints. */
const OTHER_BYTES = 1024 * 1024;
const MOST_BYTES = LINK_LIMITS.largeTextFrameBytes - OTHER_BYTES;

/** The endpoints of the agent's own file: what it announces, and what it runs by its hash (decision 32). */
export class Definitions {
  #byHash: ReadonlyMap<string, Endpoint> = new Map();
  #announced: readonly AnnouncedEndpoint[] = [];
  #revision = 0;

  /** Counts the changes. */
  get revision(): number {
    return this.#revision;
  }

  get announced(): readonly AnnouncedEndpoint[] {
    return this.#announced;
  }

  /** From now on these are all; what was before runs no more. */
  replace(endpoints: readonly Endpoint[]): void {
    this.#announced = endpoints.map(announcementOf);
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
export function announcementProblem(endpoints: readonly Endpoint[]): string | undefined {
  if (endpoints.length > LINK_LIMITS.endpoints) {
    return `${endpoints.length} endpoints are too many for one agent: at most ${LINK_LIMITS.endpoints} are accepted`;
  }
  const bytes = Buffer.byteLength(JSON.stringify(endpoints.map(announcementOf)));
  if (bytes <= MOST_BYTES) return undefined;
  return `the endpoints have ${bytes} bytes together: at most ${MOST_BYTES} can be announced`;
}

function announcementOf(endpoint: Endpoint): AnnouncedEndpoint {
  const definition = definitionOf(endpoint);
  return { name: endpoint.slug, hash: hashOf(definition), definition };
}
