// `npm run build`: dist/svc, one file with everything inside.
import { mkdirSync } from 'node:fs';
import { compile } from './compile.ts';
import { buildDocumentation } from './docs/build.ts';
import { buildWeb } from './web/build.ts';

await buildWeb();
await buildDocumentation();
mkdirSync('dist', { recursive: true });
compile('dist/svc');
console.log('dist/svc');
