/** The body of an answer as text, piece by piece as it arrives. */
export async function* readText({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of body as ReadableStream<Uint8Array>) yield decoder.decode(chunk, { stream: true });
}
