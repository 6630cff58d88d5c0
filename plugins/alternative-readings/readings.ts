/** Runs the statement of a result with the other readings of its question, as the reader, and names those that differ. */
import type { PluginContext, Question, Scope, SqlResult, ToolTable } from '../../kernel/index.ts';
import type { TableRemark } from '../agent/index.ts';
import { previewedBy } from '../auth-kit/index.ts';
import { filterReading } from '../empty-results/index.ts';
import { conditionReading, measureReading, originReading, spoken } from '../provenance/index.ts';
import { formattedValue } from '../result-kit/index.ts';
import {
  type ModelDimension,
  type QueryReading,
  readQuery,
  type SemanticLayerApi,
  type SemanticModel,
} from '../semantic-layer/index.ts';
import { compiledAs } from '../semantic-query/index.ts';
import { visibleText } from '../text-kit/index.ts';
import { MAX_ROWS, type ResultColumn, type Taken } from './alternatives.ts';
import { Ambiguity } from './ambiguity.ts';
import type { AlternativeReadingsOptions } from './options.ts';
import { hasChosen, type Said, saidIn } from './question-words.ts';

/** What the audit log names these statements by. */
const SURFACE = 'reading';
const MAX_FIGURES = 2;
/** Of all results of one question. */
const MAX_STATEMENTS = 6;
const MAX_KEY_CHARS = 40;

type Row = Readonly<Record<string, unknown>>;

export interface Readings {
  /** `By order date 1,200.00 EUR, by payment date 1,100.00 EUR.` */
  readonly text: string;
  /** The others, with the rows that they give; of each, the columns are those of the result, in their order. */
  readonly others: readonly {
    /** The time or measure instead: `entity.dimension`, `entity.measure`, or the id of a metric. */
    readonly name: string;
    /** The one that was taken. */
    readonly insteadOf: string;
    readonly rows: readonly Row[];
  }[];
}

export interface ReadingsInit {
  readonly ctx: Pick<PluginContext, 'call' | 'runSql' | 'now'>;
  readonly layer: SemanticLayerApi;
  readonly options: AlternativeReadingsOptions;
}

/** Another reading, in words and as a statement. */
interface Alternative {
  readonly kind: 'time' | 'measure';
  readonly name: string;
  readonly insteadOf: string;
  readonly words: string;
  readonly takenWords: string;
  readonly sql: string;
  /** How its figures are written. */
  readonly columns: readonly ResultColumn[];
}

interface Trial {
  readonly connectionId: string;
  readonly question: Question;
  readonly scope: Scope;
  readonly ended: AbortSignal;
}

export type Describe = (table: ToolTable, question: Question, scope: Scope) => Promise<TableRemark[]>;

export async function readingsOf({ ctx, layer, options }: ReadingsInit): Promise<Describe> {
  const { measuresByName } = await measureReading();
  const known = new WeakMap<SemanticModel, Ambiguity>();
  const tried = new WeakMap<Question, number>();

  function ambiguityOf(model: SemanticModel): Ambiguity {
    const found = known.get(model) ?? new Ambiguity(model, measuresByName);
    known.set(model, found);
    return found;
  }

  return async (table, question, scope) => {
    const { sql, connectionId, ran } = table;
    if (table.truncated || (ran?.durationMs ?? 0) > options.timeoutMs) return [];
    const model = await layer.for(scope);
    const ambiguity = ambiguityOf(model);
    let words: Said | undefined;
    const said = () => {
      words ??= saidIn(question.turns);
      return words;
    };
    if (!ambiguity.isPossible(ran?.statement.tables, said)) return [];
    const reading = await readQuery(ctx, layer, { sql, connectionId }, scope);
    if (reading === undefined || reading.dialect.isBilled) return [];
    const taken = await takenBy(reading, model, ran?.statement.tables ?? []);
    const own = taken && isComparable(taken, table) && valuesOf(table.rows, table.columns, taken.columns);
    if (!own) return [];
    const ended = AbortSignal.any([scope.signal, AbortSignal.timeout(options.timeoutMs)]);
    const found: { alternative: Alternative; rows: readonly Row[]; values: string }[] = [];
    for (const alternative of alternativesOf(taken, ambiguity, said(), question).take(options.maxStatements)) {
      const result = await rowsOf(alternative.sql, { connectionId, question, scope, ended });
      if (result === undefined || result.truncated || result.rows.length > MAX_ROWS) continue;
      if (result.columns.length !== table.columns.length) continue;
      const values = valuesOf(result.rows, result.columns, alternative.columns);
      if (values === undefined || isSame(own, values)) continue;
      found.push({ alternative, rows: result.rows, values: values.join(', ') });
    }
    if (found.length === 0) return [];
    const isGrouped = taken.columns.some(({ isKey }) => isKey);
    const text = textOf(found, isGrouped ? undefined : own.join(', '));
    const others = found.map(({ alternative: { name, insteadOf }, rows }) => ({ name, insteadOf, rows }));
    return [{ facts: { readings: { text, others } satisfies Readings }, forAnswer: text }];
  };

  async function takenBy(
    reading: QueryReading,
    model: SemanticModel,
    tables: readonly string[],
  ): Promise<Taken | undefined> {
    const compiled = compiledAs(model, reading.sql);
    if (compiled?.plan !== undefined) {
      const { takenByPlan } = await import('./plan-alternatives.ts');
      return takenByPlan(compiled, model, reading);
    }
    const select = reading.select();
    if (select === undefined) return undefined;
    const [{ filteredQuery }, conditions, { originOf }, { takenByStatement }] = await Promise.all([
      filterReading(),
      conditionReading(),
      originReading(),
      import('./statement-alternatives.ts'),
    ]);
    const query = filteredQuery(select, reading.tables, conditions);
    const origin = originOf(reading, model, tables, new Date(ctx.now()));
    if (query === undefined || origin === undefined) return undefined;
    const { provenance, formats } = origin;
    return takenByStatement({ reading, select, query, measures: provenance.measures, formats });
  }

  /** `undefined` where it may not run, takes too long or fails. Rejects only when the request has ended. */
  async function rowsOf(sql: string, { connectionId, question, scope, ended }: Trial): Promise<SqlResult | undefined> {
    const count = (tried.get(question) ?? 0) + 1;
    if (ended.aborted || count > MAX_STATEMENTS) return undefined;
    tried.set(question, count);
    const own = scope.part(ended);
    // Nobody has asked for these rows: where a rule wants them approved, no action is to wait for that.
    if (previewedBy.nearest(scope) === undefined) previewedBy.set(own, scope.actor);
    try {
      return (await ctx.runSql({ sql, connectionId, surface: SURFACE }, own)).result;
    } catch {
      scope.signal.throwIfAborted();
      return undefined;
    }
  }
}

const namesOf = ({ words, name, synonyms = [] }: { words?: string; name: string; synonyms?: readonly string[] }) => [
  words ?? name,
  ...synonyms,
];

/** Those of the time first. Each is written when it is asked for. */
function* alternativesOf(taken: Taken, ambiguity: Ambiguity, said: Said, { turns }: Question): Generator<Alternative> {
  const { time, columns } = taken;
  const measure = taken.measure === undefined ? undefined : ambiguity.measure(taken.measure);
  for (const other of time === undefined ? [] : ambiguity.otherTimes(time, said, measure)) {
    const { entity, dimension } = time!;
    if (hasChosen(turns, [namesOf(dimension), namesOf(other)])) continue;
    const names = { name: `${entity.name}.${other.name}`, insteadOf: `${entity.name}.${dimension.name}` };
    const isClear = timeWords(other) !== timeWords(dimension);
    const [words, takenWords] = [other, dimension].map((one) => (isClear ? timeWords(one) : spoken(one.name)));
    const sql = taken.withTime(other);
    if (sql !== undefined) yield { kind: 'time', ...names, words: words!, takenWords: takenWords!, columns, sql };
  }
  for (const other of measure === undefined ? [] : ambiguity.otherMeasures(measure, said)) {
    if (hasChosen(turns, [namesOf(measure!), namesOf(other)])) continue;
    const names = { name: other.name, insteadOf: measure!.name };
    const isClear = other.words !== measure!.words;
    const words = isClear
      ? { words: other.words, takenWords: measure!.words }
      : { words: names.name, takenWords: names.insteadOf };
    // Shares and changes in percent stay so.
    const isOfMeasure = ({ isKey, format }: ResultColumn) =>
      !isKey && format?.style === measure!.format?.style && format?.unit === measure!.format?.unit;
    const own = columns.map((one) => (isOfMeasure(one) ? { ...one, format: other.format } : one));
    const sql = taken.withMeasure(other);
    if (sql !== undefined) yield { kind: 'measure', ...names, ...words, columns: own, sql };
  }
}

/** `payment date` of `paid_on`, where the layer calls it so. */
const timeWords = ({ name, synonyms = [] }: ModelDimension): string =>
  synonyms.find((one) => /\s(?:date|time)$/i.test(one))?.toLowerCase() ?? spoken(name);

function isComparable({ columns }: Taken, table: ToolTable): boolean {
  const figures = columns.filter(({ isKey }) => !isKey).length;
  return columns.length === table.columns.length && figures > 0 && figures <= MAX_FIGURES;
}

/** The rows as people read them, by the places of the columns; `undefined` where a figure is no number. */
function valuesOf(
  rows: readonly Row[],
  names: readonly string[],
  columns: readonly ResultColumn[],
): string[] | undefined {
  const several = columns.filter(({ isKey }) => !isKey).length > 1;
  const texts: string[] = [];
  for (const row of rows) {
    const [keys, figures]: [string[], string[]] = [[], []];
    for (const [at, { name, isKey, format }] of columns.entries()) {
      const value = row[names[at]!];
      if (isKey) {
        keys.push(keyText(value));
        continue;
      }
      const figure = value === null ? 'none' : formattedValue(value, format, 'en-US');
      if (figure === undefined) return undefined;
      figures.push(several ? `${spoken(name)} ${figure}` : figure);
    }
    texts.push([...keys, figures.join(' and ')].join(' '));
  }
  return texts;
}

/** A word or two, a code or a date. */
const PLAIN_KEY = /^[\p{L}\p{M}\p{N}_.:+-]+(?: [\p{L}\p{M}\p{N}_.:+-]+)?$/u;

/** Others are quoted: a value with sentences in it must not read as a part of what the model is told to say. */
function keyText(value: unknown): string {
  if (value === null) return 'none';
  const text = String(value);
  const cut = text.length <= MAX_KEY_CHARS ? text : `${text.slice(0, MAX_KEY_CHARS - 1).toWellFormed()}…`;
  return PLAIN_KEY.test(cut) ? cut : JSON.stringify(visibleText(cut));
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted());

/**
 * One sentence for the times, one for the measures. `own`: the figures that were taken; `undefined` where they are groups,
 * which the answer lists already.
 */
function textOf(
  found: readonly { readonly alternative: Alternative; readonly values: string }[],
  own: string | undefined,
): string {
  const sentences = (['time', 'measure'] as const).flatMap((kind) => {
    const of = found.filter(({ alternative }) => alternative.kind === kind);
    const [first] = of;
    if (first === undefined) return [];
    const by = kind === 'time' ? 'by ' : '';
    const { takenWords } = first.alternative;
    const parts = of.map(({ alternative: { words }, values }) =>
      own === undefined
        ? `${by}${words} instead of ${takenWords}: ${values || 'no rows'}`
        : `${by}${words} ${values || 'no rows'}`,
    );
    const all = own === undefined ? parts : [`${by}${takenWords} ${own || 'no rows'}`, ...parts];
    const text = all.join(own === undefined || all.some((part) => /,(?!\d)/.test(part)) ? '; ' : ', ');
    return [`${text.charAt(0).toUpperCase()}${text.slice(1)}.`];
  });
  return sentences.join(' ');
}
