import type { Answers } from './load.ts';

/** A process of its own: `bun load-generator.ts URL CONNECTIONS SECONDS`, prints `Answers` as one line. */
const [url = '', connections = '', seconds = ''] = process.argv.slice(2);
let answered = 0;
let failed = 0;
const began = performance.now();
const until = began + Number(seconds) * 1000;
await Promise.all(Array.from({ length: Number(connections) }, keepAsking));
const answers: Answers = { answered, failed, seconds: (performance.now() - began) / 1000 };
console.log(JSON.stringify(answers));

async function keepAsking(): Promise<void> {
  while (performance.now() < until) {
    try {
      const response = await fetch(url, { headers: { accept: 'application/json' } });
      await response.arrayBuffer();
      if (response.ok) answered++;
      else failed++;
    } catch {
      failed++;
    }
  }
}
