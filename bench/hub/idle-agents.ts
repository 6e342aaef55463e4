import { Backoff } from '@svc/core/backoff';
import { type AgentFrame, encodeFrame, type HubFrame } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { dial } from './agent-socket.ts';
import { announce, hello } from './hello.ts';
import { type IdleAgentOptions, idleConfig } from './idle-crowd.ts';

// A process that holds thousands of idle agents. Each sends hello and heartbeats, and reconnects when its hub is gone (decision
// 30). idle-crowd.ts starts it and sends its options.

/** As agents do (agent/link/link.ts). */
const RECONNECT = { firstMs: LINK_LIMITS.reconnectFirstMs, longestMs: LINK_LIMITS.reconnectMostMs };
/** How often it says how many are connected. */
const REPORT_MS = 20;

const announcements = new Map<string, ReturnType<typeof announce>>();
/** How many were welcomed and are connected. */
let connected = 0;
let reported = 0;

process.on('message', (options: IdleAgentOptions) => {
  for (const one of options.agents) {
    setTimeout(() => new IdleAgent(one).connect(), Math.random() * options.withinMs);
  }
});
// A benchmark may be killed at any time. Agents that outlive it would try to connect for ever.
process.on('disconnect', () => process.exit());
setInterval(() => {
  if (reported === connected) return;
  reported = connected;
  process.send?.(connected);
}, REPORT_MS);

class IdleAgent {
  readonly #one: IdleAgentOptions['agents'][number];
  readonly #instance = crypto.randomUUID();
  readonly #backoff = new Backoff(RECONNECT, (windowMs) => Math.random() * windowMs);
  #isConnected = false;
  #heartbeat: Timer | undefined;
  #pings = 0;

  constructor(one: IdleAgentOptions['agents'][number]) {
    this.#one = one;
  }

  connect(): void {
    const dialledAtMs = performance.now();
    const socket = dial(this.#one.hubUrl, this.#one.token);
    const say = (frame: AgentFrame) => socket.send(encodeFrame(frame));
    let isMoved = false;
    const giveUp = setTimeout(() => socket.terminate(), LINK_LIMITS.connectMs);
    socket.onopen = () => say(hello(this.#one.name, endpointsOf(this.#one.name), this.#instance));
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      const frame = JSON.parse(data) as HubFrame;
      if (frame.type === 'ping') say({ type: 'pong', n: frame.n });
      if (frame.type === 'move') isMoved = true;
      if (frame.type !== 'welcome') return;
      clearTimeout(giveUp);
      this.#welcomed(say);
    };
    socket.onclose = () => {
      clearTimeout(giveUp);
      this.#gone();
      if (performance.now() - dialledAtMs > LINK_LIMITS.reconnectMostMs) this.#backoff.reset();
      setTimeout(() => this.connect(), isMoved ? 0 : this.#backoff.nextMs());
    };
  }

  #welcomed(say: (frame: AgentFrame) => void): void {
    this.#isConnected = true;
    connected += 1;
    this.#heartbeat = setInterval(() => {
      this.#pings += 1;
      say({ type: 'ping', n: this.#pings });
    }, LINK_LIMITS.pingMs);
  }

  #gone(): void {
    clearInterval(this.#heartbeat);
    if (this.#isConnected) connected -= 1;
    this.#isConnected = false;
  }
}

function endpointsOf(name: string): ReturnType<typeof announce> {
  const known = announcements.get(name) ?? announce(idleConfig(name));
  announcements.set(name, known);
  return known;
}
