// The GitHub Action svc-call. `npm run docs` bundles this file with @svc/client as main.mjs, which GitHub's runner starts in Node.
import { appendFileSync } from 'node:fs';
import { type StreamEvent, SvcClient } from '../typescript/src/client.ts';

const MAX_OUTPUT_CHARS = 64 * 1024;

/** GitHub passes inputs as variables. */
function input(name: string): string {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
}

function required(name: string): string {
  const value = input(name);
  if (value === '') throw new Error(`the input ${name} is missing`);
  return value;
}

/** `name=value` lines, or a JSON object. */
function readValues(text: string): Record<string, unknown> {
  if (text.startsWith('{')) return JSON.parse(text) as Record<string, unknown>;
  const values = new Map<string, string>();
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const at = line.indexOf('=');
    if (at < 1) throw new Error(`args: name=value expected, not "${line}"`);
    const name = line.slice(0, at).trim();
    // A line of a value that somebody else wrote must not replace another value.
    if (values.has(name))
      throw new Error(`args: ${name} is there twice; a value of several lines needs the JSON object`);
    values.set(name, line.slice(at + 1));
  }
  return Object.fromEntries(values);
}

function setOutput(name: string, value: string): void {
  const file = process.env.GITHUB_OUTPUT;
  if (file === undefined) return;
  // GitHub reads a value up to the border. A value that contained it could set another output, so the border is random.
  const border = crypto.randomUUID();
  appendFileSync(file, `${name}<<${border}\n${value}\n${border}\n`);
}

/** The text of an event for the log, or undefined. */
function textOf(event: StreamEvent): string | undefined {
  if (event.type === 'transformed_output') return JSON.stringify(event.data);
  if (event.type !== 'output') return undefined;
  const text = event.encoding === 'base64' ? `(${event.data.length} characters of base64)` : event.data;
  return event.step === undefined ? text : `${event.step}: ${text}`;
}

/** A message of GitHub's runner ends with its line. */
function oneLine(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

async function main(): Promise<number> {
  const apiKey = required('api-key');
  console.log(`::add-mask::${oneLine(apiKey)}`);
  const key = input('idempotency-key');
  const svc = new SvcClient({ baseUrl: required('base-url'), apiKey });
  const started = await svc.start(required('endpoint'), readValues(input('args')), {
    ...(key === '' ? {} : { idempotencyKey: key }),
    // The link would let every reader of the log decide.
    onApproval: ({ approval_id: id }) => console.log(`waits for approval ${id}`),
  });
  setOutput('execution-id', 'run_id' in started ? started.run_id : started.execution_id);
  const border = crypto.randomUUID();
  let output = '';
  let end: StreamEvent | undefined;
  // The runner obeys lines such as `::add-path::…`. The output of a command must not command it.
  console.log(`::stop-commands::${border}`);
  try {
    for await (const event of svc.follow(started)) {
      end = event;
      const text = textOf(event);
      if (text === undefined) continue;
      console.log(text);
      if (output.length < MAX_OUTPUT_CHARS) output += `${text}\n`;
    }
  } finally {
    console.log(`::${border}::`);
  }
  setOutput('output', output.slice(0, MAX_OUTPUT_CHARS).trimEnd());
  if (end?.type === 'done') {
    setOutput('exit-code', String(end.exit_code));
    if (end.exit_code !== 0) console.log(`::error::the command ended with exit code ${end.exit_code}`);
    return end.exit_code === 0 ? 0 : 1;
  }
  throw new Error(end?.type === 'error' ? end.error : 'the stream has no end');
}

process.exitCode = await main().catch((error: unknown) => {
  console.log(`::error::${oneLine(error instanceof Error ? error.message : String(error))}`);
  return 1;
});
