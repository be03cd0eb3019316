/** Unique names: the second one for the same text is `name (2)`. A released name is used again. */
export class FreeNames {
  private readonly taken = new Map<string, { last: number; inUse: number; readonly free: number[] }>();
  private readonly inUse = new Set<string>();

  /** The name, and what gives it back; to call that twice does nothing. */
  take(name: string): { readonly name: string; readonly giveBack: () => void } {
    let numbers = this.taken.get(name);
    if (!numbers) this.taken.set(name, (numbers = { last: 0, inUse: 0, free: [] }));
    const of = numbers;
    let number: number;
    let given: string;
    // Another name may already be `name (2)`.
    do {
      number = of.free.pop() ?? ++of.last;
      given = number === 1 ? name : `${name} (${number})`;
    } while (this.inUse.has(given));
    of.inUse++;
    this.inUse.add(given);
    const giveBack = () => {
      this.inUse.delete(given);
      of.free.push(number);
      if (--of.inUse === 0) this.taken.delete(name);
    };
    return { name: given, giveBack: once(giveBack) };
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
