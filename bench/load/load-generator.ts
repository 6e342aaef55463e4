import { median } from '../measure/statistics.ts';
import type { Answers } from './load.ts';

/** A process of its own: `bun load-generator.ts URL CONNECTIONS SECONDS HEADERS`, prints `Answers` as one line. */
const [url = '', connections = '', seconds = '', headers = '{}'] = process.argv.slice(2);
const init = { headers: JSON.parse(headers) as Record<string, string> };
const latenciesMs: number[] = [];
let failed = 0;
const began = performance.now();
const until = began + Number(seconds) * 1000;
await Promise.all(Array.from({ length: Number(connections) }, keepAsking));
const answers: Answers = {
  answered: latenciesMs.length,
  failed,
  seconds: (performance.now() - began) / 1000,
  p50Ms: latenciesMs.length > 0 ? median(latenciesMs) : 0,
};
console.log(JSON.stringify(answers));

async function keepAsking(): Promise<void> {
  for (let asked = performance.now(); asked < until; asked = performance.now()) {
    try {
      const response = await fetch(url, init);
      await response.arrayBuffer();
      if (response.ok) latenciesMs.push(performance.now() - asked);
      else failed++;
    } catch {
      failed++;
    }
  }
}
