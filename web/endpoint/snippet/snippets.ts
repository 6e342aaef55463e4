import { jsonLiteral, pythonLiteral, shellWord } from './literal.ts';
import { calledUrl, hasBody, type SnippetCall } from './snippet-call.ts';

const KEY = 'SVC_API_KEY';

function curl(call: SnippetCall): string {
  const json = `{${call.values.map(([name, value]) => `${jsonLiteral(name)}:${jsonLiteral(value)}`).join(',')}}`;
  const options = [
    `curl -sS ${call.mode === 'stream' ? '-N ' : ''}${call.method === 'POST' ? '-X POST ' : ''}${shellWord(calledUrl(call))}`,
    ...(call.needsKey ? [`-H "X-API-Key: $${KEY}"`] : []),
    ...(call.mode === 'json' ? ["-H 'Accept: application/json'"] : []),
    ...(hasBody(call) ? ["-H 'Content-Type: application/json'", `--data-raw ${shellWord(json)}`] : []),
  ];
  return options.join(' \\\n  ');
}

/** Pairs of header name and literal of the language. */
function headers(call: SnippetCall, key: string): [string, string][] {
  return [
    ...(call.needsKey ? ([['X-API-Key', key]] as [string, string][]) : []),
    ...(call.mode === 'json' ? ([['Accept', '"application/json"']] as [string, string][]) : []),
    ...(hasBody(call) ? ([['Content-Type', '"application/json"']] as [string, string][]) : []),
  ];
}

function block(pairs: readonly string[], indent: string): string {
  return pairs.length === 0 ? '{}' : `{\n${pairs.map((pair) => `${indent}  ${pair},\n`).join('')}${indent}}`;
}

function javascript(call: SnippetCall): string {
  const sent = headers(call, `process.env.${KEY}`).map(([name, value]) => `"${name}": ${value}`);
  const values = call.values.map(([name, value]) => `${jsonLiteral(name)}: ${jsonLiteral(value)}`);
  const options = [
    `  method: "${call.method}",`,
    ...(sent.length > 0 ? [`  headers: ${block(sent, '  ')},`] : []),
    ...(hasBody(call) ? [`  body: JSON.stringify(${block(values, '  ')}),`] : []),
  ];
  const read =
    call.mode === 'json'
      ? 'console.log(await response.json());'
      : 'const text = response.body.pipeThrough(new TextDecoderStream());\nfor await (const events of text) process.stdout.write(events);';
  return `const response = await fetch(${jsonLiteral(calledUrl(call))}, {\n${options.join('\n')}\n});\n${read}`;
}

function python(call: SnippetCall): string {
  const sent = headers(call, `os.environ["${KEY}"]`).map(([name, value]) => `"${name}": ${value}`);
  const values = call.values.map(([name, value]) => `${pythonLiteral(name)}: ${pythonLiteral(value)}`);
  const options = [
    `    ${pythonLiteral(calledUrl(call))},`,
    `    method="${call.method}",`,
    ...(sent.length > 0 ? [`    headers=${block(sent, '    ')},`] : []),
    ...(hasBody(call) ? [`    data=json.dumps(${block(values, '    ')}).encode(),`] : []),
  ];
  const modules = [
    ...(call.mode === 'json' || hasBody(call) ? ['json'] : []),
    ...(call.needsKey ? ['os'] : []),
    'urllib.request',
  ];
  const read =
    call.mode === 'json'
      ? '    print(json.load(response))'
      : '    for line in response:\n        print(line.decode(), end="", flush=True)';
  return [
    ...modules.map((name) => `import ${name}`),
    '',
    `request = urllib.request.Request(\n${options.join('\n')}\n)`,
    `with urllib.request.urlopen(request) as response:\n${read}`,
  ].join('\n');
}

function cli(call: SnippetCall): string {
  const words = call.values.map(([name, value]) => shellWord(`${name}=${value}`));
  const flag = call.mode === 'json' ? ['--json'] : [];
  return ['svc call', shellWord(call.url), ...words, ...flag].join(' ');
}

/** The snippet of each language. Keys come from the environment, never from the text. */
export const SNIPPETS = {
  curl: { label: 'curl', write: curl },
  fetch: { label: 'JavaScript', write: javascript },
  python: { label: 'Python', write: python },
  cli: { label: 'svc', write: cli },
} as const satisfies Record<
  string,
  { readonly label: string; readonly write: (call: SnippetCall) => string }
>;
export type SnippetLanguage = keyof typeof SNIPPETS;
