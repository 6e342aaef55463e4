// A silent command does not keep its caller waiting for the head of the answer (decision 14, nothing runs before its
// record, and decision 15, the event stream).
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { hubWorld } from '../hub-world.ts';
import { readAnswer } from '../raw-http.ts';
import { serveWorld } from '../world.ts';

/** The bytes that a server has sent on a connection so far, and a way to wait for more. */
async function request(url: string, headers: string) {
  const { hostname, port, pathname } = new URL(url);
  let bytes = Buffer.alloc(0);
  let wake = () => {};
  const closed = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        bytes = Buffer.concat([bytes, chunk]);
        wake();
      },
      close: () => closed.resolve(),
    },
  });
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n${headers}\r\n`);
  return {
    async head(): Promise<string> {
      while (!bytes.includes('\r\n\r\n')) await new Promise<void>((resolve) => (wake = resolve));
      return bytes.subarray(0, bytes.indexOf('\r\n\r\n')).toString();
    },
    async body(): Promise<string> {
      await closed.promise;
      return Buffer.from(readAnswer(bytes).body).toString();
    },
  };
}

const eventsIn = (body: string) => new SseDecoder().push(new TextEncoder().encode(body));

test('through a hub: the id of the execution arrives while its command is silent', async () => {
  await using world = await hubWorld();
  const agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  const answer = await request(world.urlOf('job'), `X-API-Key: ${world.start.apiKey}\r\n`);
  const { execution_id: id } = await agent.receive('run');
  const head = await answer.head();
  expect(head).toStartWith('HTTP/1.1 200 ');
  expect(head.toLowerCase()).toContain(`\r\nx-execution-id: ${id}\r\n`);
  agent.output(id, 1, 'late\n');
  agent.end(id, 1);
  const body = await answer.body();
  expect(body).toBe(
    ': \n\ndata: {"type":"output","data":"late"}\n\ndata: {"type":"done","exit_code":0,"duration_ms":5}\n\n',
  );
  expect(eventsIn(body)).toHaveLength(2);
});

test('from svc serve too, and nothing else is in the stream', async () => {
  const command = 'while [ ! -e go ]; do sleep 0.02; done; echo late';
  await using world = await serveWorld([{ name: 'job', command }]);
  const answer = await request(`${world.url}/job`, '');
  expect(await answer.head()).toStartWith('HTTP/1.1 200 ');
  writeFileSync(join(world.folder, 'go'), '');
  const body = await answer.body();
  expect(body).toStartWith(': \n\ndata: {"type":"output","data":"late"}\n\ndata: {"type":"done",');
  expect(eventsIn(body)).toHaveLength(2);
});
