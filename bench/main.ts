import { benchDashboard } from './dashboard/bench.ts';
import { benchDocs } from './docs/bench.ts';
import { benchEncode } from './encode/bench.ts';
import { benchFiles } from './files/bench.ts';
import { benchGrowth } from './growth/bench.ts';
import { benchHosted } from './hosted/bench.ts';
import { benchHub } from './hub/bench.ts';
import { benchInstall } from './install/bench.ts';
import { benchMcp } from './mcp/bench.ts';
import { benchPipelines } from './pipelines/bench.ts';
import { benchScale } from './scale/bench.ts';
import { benchSchedules } from './schedules/bench.ts';
import { benchServe } from './serve/bench.ts';
import { benchStore } from './store/bench.ts';
import { benchVersions } from './versions/bench.ts';

/** Every figure of the project, by the name of its benchmark: `npm run bench -- <name>`. */
const BENCHMARKS: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  dashboard: benchDashboard,
  docs: benchDocs,
  encode: benchEncode,
  files: benchFiles,
  growth: benchGrowth,
  hosted: benchHosted,
  hub: benchHub,
  install: benchInstall,
  mcp: benchMcp,
  pipelines: benchPipelines,
  scale: benchScale,
  schedules: benchSchedules,
  serve: benchServe,
  store: benchStore,
  versions: benchVersions,
};

const [name = '', ...args] = process.argv.slice(2);
const benchmark = BENCHMARKS[name];
if (benchmark === undefined) {
  console.error(`benchmark "${name}": one of ${Object.keys(BENCHMARKS).join(', ')} expected`);
  process.exitCode = 2;
} else {
  await benchmark(args);
}
