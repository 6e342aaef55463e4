/** Rung when something was told: whoever delivers alerts need not wait until they look by themselves. */
export class WakeUpSignal {
  #answer = () => {};

  ring(): void {
    this.#answer();
  }

  onRing(answer: () => void): void {
    this.#answer = answer;
  }
}
