// What a program does with the TypeScript client, against the hub of test/clients/clients.test.ts. Prints what it saw as JSON.
import {
  ApiError,
  ApprovalPending,
  CommandFailed,
  type StreamEvent,
  SvcClient,
} from '../../clients/typescript/src/client.ts';

const {
  SVC_BASE_URL: baseUrl = '',
  SVC_UNRELIABLE_URL: unreliableUrl = '',
  SVC_API_KEY: apiKey = '',
  SVC_USERNAME: username = '',
  SVC_FORMER_USERNAME: formerUsername = '',
  SVC_REDIRECTING_URL: redirectingUrl = '',
} = process.env;
const svc = new SvcClient({ baseUrl, apiKey, username });
const unreliable = new SvcClient({ baseUrl: unreliableUrl, apiKey, username });
const former = new SvcClient({ baseUrl, apiKey, username: formerUsername });
const redirecting = new SvcClient({ baseUrl: redirectingUrl, apiKey, username });
const anonymous = new SvcClient({ baseUrl });

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
const texts = (events: readonly StreamEvent[]) =>
  events.map((event) => (event.type === 'output' ? event.data : event.type));
const outputOf = async (target: string, values = {}, options = {}) => {
  const answer = await former.call(target, values, options);
  return 'output' in answer ? answer.output : '';
};
const refused = (error: unknown) => error as ApiError;

const hello = await svc.call('hello', { name: 'Ädä & Co' });
const started = await svc.start('waits');
const id = 'execution_id' in started ? started.execution_id : '';
const cancelled = await svc.cancel(id);
const cancelledEvents = await all(svc.follow(started));
const pending = await svc.call('guarded').catch((error: unknown) => error);
const failed = await svc.call('fails', {}, { check: true }).catch((error: unknown) => error);
const missing = await svc.call('nothing').catch(refused);

console.log(
  JSON.stringify({
    hello: 'output' in hello ? hello.output : undefined,
    byGet: await svc
      .call(`${username}/by-get`, { name: 'x y', times: 2 })
      .then((it) => ('output' in it ? it.output : '')),
    fails: (await svc.call('fails')).exit_code,
    checked: failed instanceof CommandFailed && failed.result.exit_code,
    missing: missing instanceof ApiError && [missing.status, missing.code],
    pending: pending instanceof ApprovalPending && pending.approval.status,
    stdin: await svc.call('sum', {}, { stdin: 'abc' }).then((it) => ('output' in it ? it.output : '')),
    run: await svc.call('ship').then((it) => ('steps' in it ? it.steps.map(({ output }) => output) : [])),
    cancelled: [
      cancelled.execution_id === id,
      cancelledEvents.at(-1)?.type,
      (await svc.execution(id)).status,
    ],
    counted: texts(await all(unreliable.stream('count', { to: 5 }))),
    once: await unreliable.call('once').then((it) => ('output' in it ? it.output : '')),
    anonymous: texts(await all(anonymous.stream(`${username}/open`))),
    executions: (await all(svc.executions({ endpoint: 'fails' }))).map(({ status }) => status),
    list: (await all(svc.list())).map(({ name }) => name).sort(),
    former: [
      await outputOf('hello', { name: 'Ada' }),
      await outputOf('by-get', { name: 'x', times: 2 }),
      await outputOf('sum', {}, { stdin: 'abc' }),
      (await all(former.list())).length,
    ],
    redirected: await Promise.all(
      ['elsewhere', 'again', 'found'].map((slug) =>
        redirecting.call(slug).then(
          () => 'followed',
          (error: unknown) => (error as Error).message,
        ),
      ),
    ),
  }),
);
