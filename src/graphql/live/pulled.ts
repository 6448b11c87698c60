/** Values that are made as they are asked for, until nobody asks any more: what `for await`, `await using` and graphql-ws need beside `next`. */
export abstract class Pulled<Value> implements AsyncGenerator<Value, undefined> {
  readonly #onOver: () => unknown;
  #isOver = false;

  /** @param onOver called once, as it ends. */
  constructor(onOver: () => unknown) {
    this.#onOver = onOver;
  }

  protected get isOver(): boolean {
    return this.#isOver;
  }

  abstract next(): Promise<IteratorResult<Value, undefined>>;

  async return(): Promise<IteratorResult<Value, undefined>> {
    if (!this.#isOver) {
      this.#isOver = true;
      await this.#onOver();
    }
    return { done: true, value: undefined };
  }

  throw(): Promise<IteratorResult<Value, undefined>> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
