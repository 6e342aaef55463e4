/** For the error of a program that ends instead of getting ready. */
const REMEMBERED_LINES = 20;

/** The line that a program prints when it is ready; all else is read and dropped, so that it never waits for a reader. */
export function firstLine(
  stream: ReadableStream<Uint8Array>,
  isIt: (line: string) => boolean = () => true,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const last: string[] = [];
  const onLine = (line: string) => {
    if (isIt(line)) resolve(line);
    if (last.push(line) > REMEMBERED_LINES) last.shift();
  };
  drain(stream, onLine).then(
    () => reject(new Error(`the program ended before it was ready: ${last.join('\n')}`)),
    reject,
  );
  return promise;
}

async function drain(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  }
  if (rest !== '') onLine(rest);
}
