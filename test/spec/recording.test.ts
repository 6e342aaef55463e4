// The recorded session of the start page and README.md: its commands still print what the recording shows.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pictureOf } from '../../tools/recording/picture.ts';
import { DESCRIPTION, PICTURE_FILE, readRecording } from '../../tools/recording/recording.ts';
import { screenText } from '../../tools/recording/screen.ts';
import { playSession } from '../../tools/recording/session.ts';
import { program } from '../program.ts';

setDefaultTimeout(60_000);

const ROOT = join(import.meta.dir, '../..');
const HAS_SHELL = Bun.which('setsid') !== null;
const AGAIN = 'npm run record records the session anew';
/** Keys and durations differ in each run. */
const OF_ONE_RUN = /(?<=svc_sk_|\/login\/)[\w-]{12}…|(?<="duration_ms":)\d+/g;

test.skipIf(!HAS_SHELL)('each command of the recorded session prints what the recording shows', async () => {
  const played = await playSession({ svc: program(), keyMs: 0 });
  const textsOf = (casts: readonly Parameters<typeof screenText>[0][]) =>
    casts.map((cast) => screenText(cast).replaceAll(OF_ONE_RUN, '…'));
  expect(textsOf(played), AGAIN).toEqual(textsOf(readRecording(ROOT)));
});

test('the picture in README.md is that of the recording', () => {
  const picture = readFileSync(join(ROOT, PICTURE_FILE), 'utf8');
  expect(picture, AGAIN).toBe(pictureOf(readRecording(ROOT), DESCRIPTION));
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(`![${DESCRIPTION}](${PICTURE_FILE})`);
});
