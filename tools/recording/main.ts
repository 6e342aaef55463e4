// `npm run record`: records the session of the start page and README.md again. Needs `npm run build` first, and an idle machine.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCast } from './cast.ts';
import { pictureOf } from './picture.ts';
import { CAST_FILES, DESCRIPTION, PICTURE_FILE, recordingText } from './recording.ts';
import { playSession } from './session.ts';

const ROOT = join(import.meta.dir, '../..');
const KEY_MS = 25;

const [up, calls] = await playSession({ svc: [join(ROOT, 'dist/svc')], keyMs: KEY_MS });
writeFileSync(join(ROOT, CAST_FILES[0]), writeCast(up));
writeFileSync(join(ROOT, CAST_FILES[1]), writeCast(calls));
writeFileSync(join(ROOT, PICTURE_FILE), pictureOf([up, calls], DESCRIPTION));
console.log(recordingText([up, calls]));
