/**
 * Parses formulas in the language of the solver and evaluates them in states of the charts. The proof and the tests thus use the same text.
 */

type Value = string | boolean;
type Expression = string | readonly Expression[];

/** A state of finitely many nodes: the value of each symbol of the theory. Constants are functions without arguments. */
export interface FiniteModel {
  readonly nodes: readonly string[];
  readonly symbols: Readonly<Record<string, (...args: string[]) => Value>>;
}

/** Truth of a formula in a model, with values for its free variables. */
export const isTrue = (formula: string, model: FiniteModel, values: Readonly<Record<string, string>> = {}): boolean =>
  evaluate(parsed(formula), model, values) === true;

/** The value of a term in a state with finitely many nodes. */
export const termValue = (term: string, model: FiniteModel, values: Readonly<Record<string, string>> = {}): Value =>
  evaluate(parsed(term), model, values);

const known = new Map<string, Expression>();

function parsed(text: string): Expression {
  let expression = known.get(text);
  if (expression === undefined) known.set(text, (expression = parse(text)));
  return expression;
}

function parse(text: string): Expression {
  const words = text.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const read = (): Expression => {
    const word = words[at++];
    if (word !== '(') return word!;
    const parts: Expression[] = [];
    while (words[at] !== ')') {
      if (at >= words.length) throw new Error(`A formula of the proof has no closing parenthesis: ${text}.`);
      parts.push(read());
    }
    at++;
    return parts;
  };
  const expression = read();
  if (at !== words.length) throw new Error(`A formula of the proof continues after its last parenthesis: ${text}.`);
  return expression;
}

type Values = Readonly<Record<string, string>>;

function evaluate(expression: Expression, model: FiniteModel, values: Values): Value {
  if (typeof expression === 'string') return valueOfWord(expression, model, values);
  const [head, ...parts] = expression as readonly [string, ...Expression[]];
  const of = (part: Expression): Value => evaluate(part, model, values);
  switch (head) {
    case 'forall':
      return holdsForAll(parts[0] as readonly (readonly string[])[], parts[1]!, model, values);
    case 'and':
      return parts.every((part) => of(part) === true);
    case 'or':
      return parts.some((part) => of(part) === true);
    case 'not':
      return !of(parts[0]!);
    case '=>':
      return !of(parts[0]!) || of(parts[1]!);
    case 'xor':
      return of(parts[0]!) !== of(parts[1]!);
    case '=':
      return of(parts[0]!) === of(parts[1]!);
    case 'distinct':
      return of(parts[0]!) !== of(parts[1]!);
    case 'ite':
      return of(parts[0]!) ? of(parts[1]!) : of(parts[2]!);
    default:
      return symbolOf(head, model)(...(parts.map(of) as string[]));
  }
}

function valueOfWord(word: string, model: FiniteModel, values: Values): Value {
  if (word === 'true' || word === 'false') return word === 'true';
  return values[word] ?? symbolOf(word, model)();
}

function symbolOf(name: string, { symbols }: FiniteModel): (...args: string[]) => Value {
  const symbol = symbols[name];
  if (!symbol) throw new Error(`A formula of the proof uses the unknown symbol ${name}. Add it to SYMBOLS.`);
  return symbol;
}

function holdsForAll(variables: readonly (readonly string[])[], body: Expression, model: FiniteModel, values: Values): boolean {
  const [first, ...others] = variables;
  if (!first) return evaluate(body, model, values) === true;
  return model.nodes.every((node) => holdsForAll(others, body, model, { ...values, [first[0]!]: node }));
}
