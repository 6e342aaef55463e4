import type { Asked } from './asking.ts';

// A process of its own: `bun asking-program.ts URL CONNECTIONS SECONDS HEADERS`, prints `Asked` as one line.

const [url = '', connections = '', seconds = '', headers = '{}'] = process.argv.slice(2);
const init = { headers: JSON.parse(headers) as Record<string, string> };
const latenciesMs: number[] = [];
let failed = 0;
const began = performance.now();
const until = began + Number(seconds) * 1000;
await Promise.all(Array.from({ length: Number(connections) }, keepAsking));
const sorted = latenciesMs.toSorted((a, b) => a - b);
const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
const asked: Asked = {
  perSecond: (latenciesMs.length * 1000) / (performance.now() - began),
  failed,
  p50Ms: at(0.5),
  p99Ms: at(0.99),
  maxMs: at(1),
};
console.log(JSON.stringify(asked));

async function keepAsking(): Promise<void> {
  for (let asked = performance.now(); asked < until; asked = performance.now()) {
    const response = await fetch(url, init).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) latenciesMs.push(performance.now() - asked);
    else failed += 1;
  }
}
