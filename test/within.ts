/** Rejects with the name of the work when it takes longer. A test that would hang says where. */
export async function within<Value>(limitMs: number, name: string, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${name} took longer than ${limitMs} ms`)), limitMs);
  return await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
