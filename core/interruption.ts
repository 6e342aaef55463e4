/**
 * A wait that an error can end from outside. `Promise.race` with one long-lived promise would keep memory for each wait.
 */
export class Interruption {
  #error: { readonly error: unknown } | undefined;
  #reject: ((error: unknown) => void) | undefined;

  get isSet(): boolean {
    return this.#error !== undefined;
  }

  /** Ends the present wait and every later one. Only the first error counts. */
  set(error: unknown): void {
    if (this.#error !== undefined) return;
    this.#error = { error };
    this.#reject?.(error);
  }

  /** Settles as the promise does, or rejects with the error. One wait at a time. */
  wait<Value>(promise: Promise<Value>): Promise<Value> {
    const { promise: waited, resolve, reject } = Promise.withResolvers<Value>();
    this.#reject = reject;
    if (this.#error !== undefined) reject(this.#error.error);
    promise.then(resolve, reject);
    return waited;
  }
}
