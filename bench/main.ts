import { benchEncode } from './encode/bench.ts';
import { benchServe } from './serve/bench.ts';

/** Every figure of the project, by the name of its benchmark: `npm run bench -- <name>`. */
const BENCHMARKS: Readonly<Record<string, () => Promise<void>>> = {
  encode: benchEncode,
  serve: benchServe,
};

const name = process.argv[2] ?? '';
const benchmark = BENCHMARKS[name];
if (benchmark === undefined) {
  console.error(`benchmark "${name}": one of ${Object.keys(BENCHMARKS).join(', ')} expected`);
  process.exitCode = 2;
} else {
  await benchmark();
}
