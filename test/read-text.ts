/** The body of an answer as text, piece by piece as it arrives. */
export async function* readText({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of body as ReadableStream<Uint8Array>) yield decoder.decode(chunk, { stream: true });
}

/** Reads on until this text has come, and answers what came: before it there may be a comment. */
export async function readUntil(pieces: AsyncGenerator<string>, wanted: string): Promise<string> {
  let text = '';
  while (!text.includes(wanted)) {
    const { value, done } = await pieces.next();
    if (done) throw new Error(`the stream ended before "${wanted}":\n${text}`);
    text += value;
  }
  return text;
}
