import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cast, readCast } from './cast.ts';
import { screenText } from './screen.ts';

/** The files of the session, and the picture made from them. `npm run record` writes all three. */
export const CAST_FILES = ['docs/images/first-call-up.cast', 'docs/images/first-call.cast'] as const;
export const PICTURE_FILE = 'docs/images/first-call.svg';

export function readRecording(root: string): readonly Cast[] {
  return CAST_FILES.map((file) => readCast(readFileSync(join(root, file), 'utf8')));
}

/** What both terminals show in the end, as text. */
export function recordingText(casts: readonly Cast[]): string {
  return casts.map((cast) => `${cast.title}:\n\n${screenText(cast)}`).join('\n');
}

export const DESCRIPTION =
  'Two terminals. In the first, svc up writes a starter file and starts a hub and an agent. In the second, svc call count to=3 and ' +
  'a curl to the same URL print a line each second, as the command prints it.';
