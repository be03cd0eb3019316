/** The results of predicates of properties: booleans, and nothing else. */
import { ProtocolError } from '../machines/errors.js';

/** Rejects a result that is not a boolean, such as a promise or `undefined`, because it would count as true or false. */
export function truth(answer: boolean, of: 'holds' | 'holdsAround' | 'when'): boolean {
  if (typeof answer === 'boolean') return answer;
  throw new TypeError(
    `"${of}" returned ${(answer as unknown) instanceof Promise ? 'a promise' : String(answer)}. Return true or false.`,
  );
}

/** Throws the error of a predicate, with the property that it belongs to. */
export function failed({ name }: { readonly name: string }, error: Error): never {
  throw new ProtocolError(`property "${name}" failed: ${error.message}`, { cause: error });
}
