import { hash } from 'node:crypto';
import { sentenceOf } from '@svc/core/config/validation-issue';
import { checkPipeline } from '@svc/core/pipeline/definition/check-pipeline';
import { definitionOfPipeline } from '@svc/core/pipeline/definition/definition-of-pipeline';
import { canonicalDefinition } from '@svc/core/protocol/canonical';
import { type ReadDefinition, readDefinition, type WireDefinition } from '@svc/core/protocol/definition';
import type { AnnouncedEndpoint, PipelineAnnouncement } from '@svc/core/protocol/frame';
import type { Announced } from '../endpoints/endpoint-ports.ts';
import type { AnnouncedPipeline as SoundPipeline } from '../pipelines/pipeline-ports.ts';

/** The part of a frame in which an agent announces its file. */
export interface Announcement {
  readonly endpoints: readonly AnnouncedEndpoint[];
  /** Absent from agents of a version without pipelines. */
  readonly pipelines?: readonly PipelineAnnouncement[] | undefined;
}

/** A definition that can be registered, or the reason why not. */
type Checked<Sound> =
  | { readonly kind: 'sound'; readonly sound: Sound }
  | { readonly kind: 'refused'; readonly slug: string; readonly reason: string };

const LONGEST_REASON = 1_000;

/**
 * The hub computes the hash, because it compares the definitions of the agents of a pool (decision 31, which agent runs an
 * endpoint).
 */
export function checkAnnounced(
  definitions: ReadDefinitions,
  { name, hash: announcedHash, definition }: AnnouncedEndpoint,
): Checked<Announced> {
  const text = canonicalDefinition(definition);
  if (hash('sha256', text) !== announcedHash) return refused(name, 'the hash is of another definition');
  const read = definitions.of(text, definition);
  if (read.kind === 'problems') return refused(name, read.problems.join('; '));
  if (read.endpoint.slug !== name) return refused(name, `the definition is of "${read.endpoint.slug}"`);
  return { kind: 'sound', sound: { slug: name, definitionHash: announcedHash, definition: text } };
}

/** The endpoints of its steps may be registered later, so a run checks them when it starts. */
export function checkAnnouncedPipeline({ name, definition }: PipelineAnnouncement): Checked<SoundPipeline> {
  const checked = checkPipeline(definition, { isFile: true });
  if (checked.kind === 'issues') return refused(name, checked.issues.map(sentenceOf).join('; '));
  const { pipeline } = checked;
  if (pipeline.slug !== name) return refused(name, `the definition is of "${pipeline.slug}"`);
  const text = canonicalDefinition(definitionOfPipeline(pipeline));
  return { kind: 'sound', sound: { slug: name, definition: text } };
}

function refused(slug: string, reason: string): Extract<Checked<never>, { kind: 'refused' }> {
  return { kind: 'refused', slug, reason: reason.slice(0, LONGEST_REASON) };
}

/** The maximum number of schedules in one minute, so that the first fires after a restart parse nothing again. */
const MAX_KEPT = 20_000;

/**
 * Caches parsed definitions. Agents that reconnect announce the same definitions again, and so do the agents of a fleet;
 * parsing takes longer than the rest of a hello.
 *
 * NOTE: The key is the text and not a hash from the agent, which might not match.
 */
export class ReadDefinitions {
  readonly #kept = new Map<string, ReadDefinition>();

  /** @param text the canonical text of the definition */
  of(text: string, definition: WireDefinition): ReadDefinition {
    const kept = this.#kept.get(text);
    if (kept !== undefined) return kept;
    const read = readDefinition(definition);
    // A Map keeps insertion order, so the first key is the oldest.
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(text, read);
    return read;
  }
}
