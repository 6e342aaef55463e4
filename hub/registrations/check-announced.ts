import { hash } from 'node:crypto';
import { formatPath, type ValidationIssue } from '@svc/core/config/validation-issue';
import { checkPipeline } from '@svc/core/pipeline/definition/check-pipeline';
import { definitionOfPipeline } from '@svc/core/pipeline/definition/definition-of-pipeline';
import { canonicalDefinition } from '@svc/core/protocol/canonical';
import type { AnnouncedEndpoint, PipelineAnnouncement } from '@svc/core/protocol/frame';
import type { Announced } from '../endpoints/endpoint-ports.ts';
import type { AnnouncedPipeline as SoundPipeline } from '../pipelines/pipeline-ports.ts';
import type { ReadDefinitions } from './read-definitions.ts';

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

/** The hub computes the hash, because it compares the definitions of the agents of a pool (decision 31). */
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
  if (checked.kind === 'issues') return refused(name, checked.issues.map(sentence).join('; '));
  const { pipeline } = checked;
  if (pipeline.slug !== name) return refused(name, `the definition is of "${pipeline.slug}"`);
  const text = canonicalDefinition(definitionOfPipeline(pipeline));
  return { kind: 'sound', sound: { slug: name, definition: text } };
}

/** A validation issue with its place in the file, which the reader cannot see. */
export function sentence({ path, message }: ValidationIssue): string {
  return path.length === 0 ? message : `${formatPath(path)}: ${message}`;
}

function refused(slug: string, reason: string): Extract<Checked<never>, { kind: 'refused' }> {
  return { kind: 'refused', slug, reason: reason.slice(0, LONGEST_REASON) };
}
