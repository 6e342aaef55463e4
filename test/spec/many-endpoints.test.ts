// The maximum number of endpoints of an agent, and more: decision 31, which agent runs an endpoint, and decision 61, the
// journal proves itself. A real agent in a process of its own.
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import { AgentProgram } from '../agent-program.ts';
import { configText } from '../config-text.ts';
import { hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';

setDefaultTimeout(60_000);

const many = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    name: `endpoint-number-${n}`,
    command: `echo this is number ${n}`,
  }));

let program: AgentProgram;
beforeEach(async () => {
  program = await AgentProgram.make([{ name: 'one', command: 'true' }]);
});
afterEach(() => program[Symbol.asyncDispose]());

/** JSON without spaces: a file has 1 MiB. */
const write = (count: number) => program.write(JSON.stringify(JSON.parse(configText(many(count)))));

async function run(...args: string[]) {
  const child = startSvc(args, { cwd: program.folder, env: { SVC_TOKEN: program.token } });
  const [stdout, stderr] = [new Lines(child.stdout), new Lines(child.stderr)];
  const code = await child.exited;
  return { code, printed: `${stdout.text}\n${stderr.text}` };
}

test('5,000 endpoints are registered with one hello, and the last one is called', async () => {
  await using world = await hubWorld();
  await write(5_000);
  const agent = program.start(['--json'], {
    SVC_TOKEN: world.start.agentToken,
    SVC_BASE_URL: world.hub.localUrl,
  });
  const beganAtMs = performance.now();
  const connected = JSON.parse(await agent.stdout.find(/"event":"connected"/)) as { registered: object[] };
  const tookMs = performance.now() - beganAtMs;
  expect(connected.registered).toHaveLength(5_000);
  const answer = await world.call('endpoint-number-4999');
  expect(await answer.text()).toContain('this is number 4999');
  console.info(`5,000 endpoints: connected ${Math.round(tookMs)} ms after the start of the process`);
});

test.each([5_001, 15_000])(
  '%d endpoints are a problem of the file, reported before the agent connects',
  async (count) => {
    await write(count);
    const said = `${count} endpoints are too many for one file: at most 5000 are accepted`;
    const validated = await run('validate');
    expect(validated.code).toBe(2);
    expect(validated.printed).toContain(said);
    const agent = program.start();
    expect(await agent.exited).toBe(2);
    expect(agent.stderr.text).toContain(said);
    expect(program.hub.hellos).toEqual([]);
  },
);

test('a hello that the hub takes for no frame ends the agent with 2 and the reason', async () => {
  const { hub } = program;
  const message = 'hello.endpoints: a list of at most 2000 items expected';
  hub.welcome = () => {
    hub.send({ type: 'error', code: 'bad_frame', message });
    hub.socket?.close(CLOSE_CODES.bad_frame, message);
    return undefined;
  };
  const agent = program.start();
  expect(await agent.exited).toBe(2);
  expect(agent.stderr.text).toContain(`the hub does not accept this agent: ${message}`);
  expect(program.printed).not.toContain('hub unreachable');
});
