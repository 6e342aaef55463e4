import { ARTIFACT_LIMITS } from './limits.ts';

/** Control characters, `\` (a separator on Windows), and characters that reverse the direction of a shown name. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\\\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]|\p{Cs}/u;

/**
 * Why a name is not kept, for people; undefined for a name that is safe to show, to put into a URL and to unpack from an archive.
 *
 * A name is a relative path with `/` between its parts (decision 72, artifacts).
 */
export function artifactNameProblem(name: string): string | undefined {
  if (new TextEncoder().encode(name).length > ARTIFACT_LIMITS.nameBytes) return 'its name is too long';
  if (UNSAFE.test(name)) return 'its name has characters that are not kept';
  const isPath = name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  return isPath ? undefined : 'its name is no path below a folder';
}

const ALL_UNSAFE = new RegExp(UNSAFE.source, 'gu');

/** A name that is safe to show in place of one that is not kept. */
export function shownArtifactName(name: string): string {
  const safe = name.replaceAll(ALL_UNSAFE, '?').slice(0, ARTIFACT_LIMITS.nameBytes / 4);
  return artifactNameProblem(safe) === undefined ? safe : 'a file without a name that can be shown';
}
