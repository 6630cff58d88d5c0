/** Proposes a verified query from a question and the statement that answered it, with the parameters that both name. */
import { timeReader, tokenizer } from '../model-offline/index.ts';
import { createModel, type ModelVerifiedQuery, type SemanticModel, visibleModel } from '../semantic-layer/index.ts';
import { partAt, type SqlDialect } from '../sql-kit/index.ts';
import { Matcher } from './matching.ts';
import type { Parameter } from './parameters.ts';

export type Draft = Pick<ModelVerifiedQuery, 'name' | 'question' | 'sql' | 'parameters'>;

interface Literal {
  readonly start: number;
  readonly end: number;
  /** As it compares: a text without quotes, a number as written. */
  readonly value: string;
  readonly isNumber: boolean;
  readonly isLimit: boolean;
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Without parameters where the question with them would not be read as it was asked. */
export async function proposal(
  asked: { readonly question: string; readonly sql: string },
  model: SemanticModel,
  dialect: SqlDialect,
  now: Date,
): Promise<Draft> {
  const question = asked.question.trim();
  const [{ tokenize }, { readTime }] = await Promise.all([tokenizer(), timeReader()]);
  const literals = literalsIn(asked.sql, dialect);
  const parameters: Parameter[] = [];
  const [inQuestion, inSql]: [Place[], Place[]] = [[], []];
  const take = (parameter: Parameter, from: number, to: number, places: readonly Place[]) => {
    parameters.push(parameter);
    inQuestion.push({ start: from, end: to, text: `{${parameter.name}}` });
    inSql.push(...places);
  };
  const tokens = tokenize(question);
  const withValue = (value: string) => literals.filter((one) => one.value === value);
  const bound = (found: readonly Literal[], name: string) =>
    found.map(({ start, end }) => ({ start, end, text: `:${name}` }));
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    const time = readTime(tokens, at, now);
    const [range, other] = time?.ranges ?? [];
    const [from, to] = [withValue(range?.from ?? ''), withValue(range?.to ?? '')];
    if (range !== undefined && other === undefined && from.length > 0 && to.length > 0) {
      const end = tokens[time!.next - 1]!.end;
      const [first = token] = tokens
        .slice(at, time!.next)
        .filter(({ word }) => !/^(?:in|of|for|during|on|at|the)$/.test(word));
      take({ name: 'period', type: 'period' }, first.start, end, [
        ...bound(from, 'period_from'),
        ...bound(to, 'period_to'),
      ]);
      at = time!.next - 1;
      continue;
    }
    const numbers =
      token.kind === 'number' ? literals.filter((one) => one.isNumber && Number(one.value) === token.value) : [];
    if (numbers.length === 1) {
      const type = numbers[0]!.isLimit ? ('top' as const) : ('number' as const);
      const name = unused(type === 'top' ? 'n' : 'number', parameters);
      take({ name, type }, token.start, token.end, bound(numbers, name));
      continue;
    }
    for (const literal of literals.filter(({ isNumber }) => !isNumber)) {
      const words = tokenize(literal.value);
      const dimension = dimensionOf(literal.value, model);
      const isSaid = words.length > 0 && words.every(({ word }, i) => tokens[at + i]?.word === word);
      if (!isSaid || dimension === undefined) continue;
      const name = unused(dimension.split('.')[1]!.toLowerCase().replace(/\W/g, '_'), parameters);
      take(
        { name, type: 'value', dimension },
        token.start,
        tokens[at + words.length - 1]!.end,
        bound(withValue(literal.value), name),
      );
      at += words.length - 1;
      break;
    }
  }
  const name = nameOf(question, new Set(visibleModel(model).verified?.map((one) => one.name)));
  const plain = { name, question, sql: asked.sql };
  const draft = { name, question: replaced(question, inQuestion), sql: replaced(asked.sql, inSql), parameters };
  const query = { ...draft, file: '', source: 'default' };
  const matcher = new Matcher(
    createModel({ ...visibleModel(model), catalog: undefined, verified: [query] }, 1, []),
    tokenize,
    readTime,
  );
  return parameters.length > 0 && matcher.find({ text: question, now }).certain.length === 1 ? draft : plain;
}

function literalsIn(sql: string, { notation }: SqlDialect): Literal[] {
  const found: Literal[] = [];
  let before = '';
  for (let start = 0; start < sql.length; ) {
    const { kind, end } = partAt(sql, start, notation);
    const text = sql.slice(start, end);
    if (kind === 'number') found.push({ start, end, value: text, isNumber: true, isLimit: before === 'limit' });
    // Of a text with escapes it is not known here what it stands for.
    if (kind === 'text' && /^'[^'\\]*'$/.test(text))
      found.push({ start, end, value: text.slice(1, -1), isNumber: false, isLimit: false });
    if (kind !== 'space') before = text.toLowerCase();
    start = end;
  }
  return found;
}

/** The only dimension that lists the value. */
function dimensionOf(value: string, model: SemanticModel): string | undefined {
  const found = visibleModel(model).entities.flatMap(({ name, dimensions }) =>
    dimensions.flatMap((one) => (one.sample_values?.includes(value) ? [`${name}.${one.name}`] : [])),
  );
  return found.length === 1 ? found[0] : undefined;
}

function unused(name: string, parameters: readonly Parameter[]): string {
  return parameters.some((one) => one.name === name) ? `${name}_${parameters.length + 1}` : name;
}

function replaced(text: string, places: readonly Place[]): string {
  return places
    .toSorted((a, b) => b.start - a.start)
    .reduce((all, { start, end, text: by }) => all.slice(0, start) + by + all.slice(end), text);
}

function nameOf(question: string, taken: ReadonlySet<string>): string {
  const words =
    question
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const name =
    words
      .join('_')
      .replace(/^[^a-z]+/, '')
      .slice(0, 60) || 'query';
  return taken.has(name) ? `${name}_${taken.size + 1}` : name;
}
