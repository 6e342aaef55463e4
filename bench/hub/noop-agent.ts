import type { EndingRun } from '@svc/core/execution/frame';
import { OutputEncoder } from '@svc/core/execution/output-encoder';
import { encodeFrame, type HubFrame } from '@svc/core/protocol/frame';
import { encodeOutputFrame } from '@svc/core/protocol/output-frame';
import { dial } from './agent-socket.ts';
import { announce, hello } from './hello.ts';
import { NOOP_CONFIG, NOOP_OUTPUT } from './noop.ts';

// A process of its own: `bun noop-agent.ts TOKEN [HUB]`. It answers each `run` at once with the output and the end that a
// command would have given, so the bench measures the hub alone. It prints a line when the hub has welcomed it. Without HUB it first
// prints a line when it is ready, and reads the address of the hub from its input.

const [token = '', given] = process.argv.slice(2);
const hubUrl = given ?? (await address());
const { sse, endings } = encoded(NOOP_OUTPUT);
const socket = dial(hubUrl, token);
socket.onopen = () => socket.send(encodeFrame(hello('default', announce(NOOP_CONFIG), crypto.randomUUID())));
socket.onmessage = ({ data }: MessageEvent<string>) => take(JSON.parse(data) as HubFrame);
// The benchmark itself notices missing answers.
socket.onclose = () => process.exit();

async function address(): Promise<string> {
  console.log('ready');
  for await (const line of console) return line;
  return process.exit();
}

function take(frame: HubFrame): void {
  switch (frame.type) {
    case 'welcome':
      console.log('connected');
      return;
    case 'ping':
      socket.send(encodeFrame({ type: 'pong', n: frame.n }));
      return;
    case 'run':
      answer(frame.execution_id);
      return;
    default:
    // Acknowledgements need no work here: this agent keeps nothing to send again.
  }
}

function answer(executionId: string): void {
  socket.send(encodeOutputFrame({ kind: 'output', executionId, seq: 1, endings, bytes: sse }));
  const ending = { kind: 'exited', exit_code: 0, duration_ms: 1 } as const;
  socket.send(encodeFrame({ type: 'ended', execution_id: executionId, last_seq: 1, ending }));
}

/** The events of a text that ends in a newline, as every execution gives them. */
function encoded(text: string): { sse: Uint8Array; endings: string | undefined } {
  const frame = new OutputEncoder().push(new TextEncoder().encode(text));
  if (frame === undefined) throw new Error(`${JSON.stringify(text)} gives no event by itself`);
  const runs: readonly EndingRun[] = frame.endings;
  return { sse: frame.sse, endings: runs.length > 0 ? JSON.stringify(runs) : undefined };
}
