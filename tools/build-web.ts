// Builds the dashboard into web/dist/dashboard.pack, and the documentation beside it, when their sources have changed. `npm start`,
// `npm run build` and `npm test` start it.
import { buildDocumentation } from './docs/build.ts';
import { buildWeb } from './web/build.ts';

const startedMs = performance.now();
const isBuilt = await buildWeb(() =>
  process.stderr.write('Building the dashboard (once for these sources)… '),
);
await buildDocumentation();
if (isBuilt) process.stderr.write(`${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`);
