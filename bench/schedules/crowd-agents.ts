import { writeFileSync } from 'node:fs';
import { encodeFrame, type HubFrame } from '@svc/core/protocol/frame';
import { dial } from '../hub/agent-socket.ts';
import { announce, hello } from '../hub/hello.ts';

// A process of its own: `bun crowd-agents.ts HUB TOKEN AGENTS SCHEDULES FILE`. Each agent has as many endpoints that fire every
// minute, and is at the end of each at once, so what is measured is the hub. Prints a line when all have been welcomed. When the
// hub
// has gone the file says when each order came: the clock is the one of the hub.

const [hubUrl = '', token = '', agents = '', schedules = '', file = ''] = process.argv.slice(2);

const orders: Record<string, number> = {};

for (let agent = 0; agent < Number(agents); agent += 1) await connect(`crowd-${agent}`);
console.log('connected');

function connect(name: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = dial(hubUrl, token);
  socket.onopen = () => socket.send(encodeFrame(hello(name, announce(configOf(name)), crypto.randomUUID())));
  socket.onmessage = ({ data }: MessageEvent<string>) => {
    const frame = JSON.parse(data) as HubFrame;
    if (frame.type === 'welcome') resolve();
    if (frame.type === 'ping') socket.send(encodeFrame({ type: 'pong', n: frame.n }));
    if (frame.type !== 'run') return;
    orders[frame.execution_id] = Date.now();
    const ending = { kind: 'exited', exit_code: 0, duration_ms: 1 } as const;
    socket.send(encodeFrame({ type: 'ended', execution_id: frame.execution_id, last_seq: 0, ending }));
  };
  // The benchmark itself notices missing fires.
  socket.onclose = () => leave();
  return promise;
}

/** All sockets close with the hub: the first close event writes for all. */
function leave(): void {
  writeFileSync(file, JSON.stringify(orders));
  process.exit();
}

function configOf(agent: string): string {
  const endpoints = Array.from({ length: Number(schedules) }, (_, index) => ({
    name: `${agent}-${index}`,
    command: 'true',
    schedule: '* * * * *',
  }));
  return JSON.stringify({ version: 1, endpoints });
}
