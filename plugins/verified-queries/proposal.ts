/** Proposes a verified query from a question and the statement that answered it, with the parameters that both name. */
import { folded } from '../language-kit/index.ts';
import { timeReader, tokenizer } from '../model-offline/index.ts';
import { createModel, type ModelVerifiedQuery, type SemanticModel, visibleModel } from '../semantic-layer/index.ts';
import { partAt, type SqlDialect } from '../sql-kit/index.ts';
import { Matcher } from './matching.ts';
import type { Parameter } from './parameters.ts';

export type Draft = Pick<ModelVerifiedQuery, 'name' | 'question' | 'sql' | 'parameters' | 'connection'>;

/** A part of a text that is replaced. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `text`: what it compares with; of a text, without quotes. */
interface Literal extends Place {
  readonly type: 'top' | 'number' | 'value';
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
  const tokens = tokenize(question);
  const visible = visibleModel(model);
  const listed = new Map<unknown, string[]>();
  for (const { name, dimensions } of visible.entities)
    for (const one of dimensions)
      for (const value of new Set(one.sample_values))
        listed.set(value, [...(listed.get(value) ?? []), `${name}.${one.name}`]);
  const values = [...new Set(literals.flatMap(({ type, text }) => (type === 'value' ? text : [])))].flatMap((text) => {
    const [dimension, other] = listed.get(text) ?? [];
    return dimension === undefined || other !== undefined ? [] : { text, dimension, words: tokenize(text) };
  });
  const parameters: Parameter[] = [];
  const [inQuestion, inSql]: [Place[], Place[]] = [[], []];

  /** Takes the tokens from `at` to `next` and what the statement has of them for a parameter, unless it has nothing. */
  const take = (parameter: Parameter, at: number, next: number, said: Readonly<Record<string, string>>): number => {
    const name = parameters.some((one) => one.name === parameter.name)
      ? `${parameter.name}_${parameters.length + 1}`
      : parameter.name;
    const isOf = ({ type }: Literal) =>
      (type === 'value') === (parameter.type === 'value' || parameter.type === 'period');
    const places = Object.entries(said).map(([ending, value]) =>
      literals.filter((one) => isOf(one) && one.text === value).map((one) => ({ ...one, text: `:${name}${ending}` })),
    );
    if (places.some(({ length }) => length === 0)) return at;
    parameters.push({ ...parameter, name });
    inQuestion.push({ start: tokens[at]!.start, end: tokens[next - 1]!.end, text: `{${name}}` });
    inSql.push(...places.flat());
    return next;
  };

  for (let at = 0; at < tokens.length; at += 1) {
    const { kind, value } = tokens[at]!;
    const time = readTime(tokens, at, now);
    const [range] = time?.ranges ?? [];
    let next = at;
    if (time?.ranges.length === 1 && range?.from !== undefined && range.to !== undefined) {
      const first = tokens.findIndex(({ word }, i) => i >= at && !/^(?:in|of|for|during|on|at|the)$/.test(word));
      next = take({ name: 'period', type: 'period' }, first, time.next, { _from: range.from, _to: range.to });
      if (next === first) next = at;
    }
    if (next === at && kind === 'number') {
      const type = literals.find(({ text }) => text === String(value))?.type === 'top' ? 'top' : 'number';
      next = take({ name: type === 'top' ? 'n' : 'number', type }, at, at + 1, { '': String(value) });
    }
    for (const { text, dimension, words } of next === at ? values : []) {
      const isSaid = words.length > 0 && words.every(({ word }, i) => tokens[at + i]?.word === word);
      if (!isSaid || next > at) continue;
      const name = (dimension.split('.')[1] ?? '').toLowerCase().replace(/\W/g, '_');
      next = take({ name, type: 'value', dimension }, at, at + words.length, { '': text });
    }
    at = Math.max(at, next - 1);
  }
  const name = nameOf(question, new Set(visible.verified?.map((one) => one.name)));
  const draft = { name, question: replaced(question, inQuestion), sql: replaced(asked.sql, inSql), parameters };
  const verified = [{ ...draft, file: '', source: 'default' }];
  const matcher = new Matcher(createModel({ ...visible, catalog: undefined, verified }, 1, []), tokenize, readTime);
  const isRead = parameters.length > 0 && matcher.find({ text: question, now }).certain.length === 1;
  return isRead ? draft : { name, question, sql: asked.sql };
}

function literalsIn(sql: string, { notation }: SqlDialect): Literal[] {
  const found: Literal[] = [];
  let before = '';
  for (let start = 0; start < sql.length; ) {
    const { kind, end } = partAt(sql, start, notation);
    const text = sql.slice(start, end);
    if (kind === 'number') found.push({ start, end, text, type: before === 'limit' ? 'top' : 'number' });
    // Of a text with escapes it is not known here what it stands for.
    if (kind === 'text' && /^'[^'\\]*'$/.test(text)) found.push({ start, end, text: text.slice(1, -1), type: 'value' });
    if (kind !== 'space') before = text.toLowerCase();
    start = end;
  }
  return found;
}

function replaced(text: string, places: readonly Place[]): string {
  const last = places.toSorted((a, b) => b.start - a.start);
  return last.reduce((all, { start, end, text: by }) => all.slice(0, start) + by + all.slice(end), text);
}

function nameOf(question: string, taken: ReadonlySet<string>): string {
  const words = folded(question).match(/[a-z0-9]+/g) ?? [];
  const name =
    words
      .join('_')
      .replace(/^[^a-z]+/, '')
      .slice(0, 60) || 'query';
  return taken.has(name) ? `${name}_${taken.size + 1}` : name;
}
