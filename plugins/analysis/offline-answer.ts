/** Writes the result of a tool in a few sentences, where there is no language model. */
import { formattedValue } from '../result-kit/index.ts';

type Row = Readonly<Record<string, unknown>>;
interface Result extends Row {
  readonly error?: string;
  readonly hint?: string;
  readonly measure?: string;
  readonly results?: readonly Row[];
}

const SHOWN = 5;

function shown(value: unknown): string {
  if (typeof value !== 'number') return value === null || value === undefined ? 'none' : String(value);
  return formattedValue(value, undefined, 'en-US') ?? String(value);
}

const spoken = (name: unknown) => String(name).replace(/^.*\./, '').replaceAll('_', ' ');
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const percent = (value: unknown) => (value === null || value === undefined ? '' : ` (${shown(value)} %)`);

function explainedText({ measure, period, against, before, after, change, changePercent, ...rest }: Result): string {
  const {
    causes = [],
    verdict,
    results = [],
    time,
  } = rest as Result & { causes?: readonly string[]; verdict?: string };
  const lines = results.slice(0, SHOWN).map((row) => {
    const share = row.changeShare === null ? '' : `, ${shown(row.changeShare)} % of the change`;
    return `- ${spoken(row.dimension)} ${shown(row.value)}: ${shown(row.before)} to ${shown(row.after)}${share}`;
  });
  const found = causes.length === 0 ? '' : ` Cause: ${causes.join('; ')}.`;
  return [
    `${capital(spoken(measure))} was ${shown(after)} in ${period} and ${shown(before)} in ${against}, a change of ${shown(change)}${percent(changePercent)}.${found} ${verdict}`,
    `\nContributions:\n${lines.join('\n')}`,
    `\nRead as: ${spoken(measure)} by ${time}.`,
  ].join('\n');
}

function comparedText({ measure, a, b, total, results = [] }: Result): string {
  const both = (row: Row) =>
    `${shown(row.a)} and ${shown(row.b)}, a difference of ${shown(row.difference)}${percent(row.changePercent)}`;
  const head = `${capital(spoken(measure))}, ${a} and ${b}`;
  const all = (total ?? (results.length === 1 ? results[0] : undefined)) as Row | undefined;
  const own = new Set(['a', 'b', 'difference', 'changePercent', 'shareA', 'shareB']);
  const lines =
    total === undefined
      ? []
      : results.map((row) => {
          const group = Object.entries(row).flatMap(([name, value]) => (own.has(name) ? [] : [shown(value)]));
          return `- ${group.join(', ')}: ${both(row)}`;
        });
  return [`${head}${all === undefined ? '' : `: ${both(all)}`}.`, ...lines].join('\n');
}

function forecastText({ measure, grain, method, intervalPercent, basedOn, results = [] }: Result): string {
  const lines = results.map(
    ({ period, forecast, low, high }) => `- ${period}: ${shown(forecast)} (${shown(low)} to ${shown(high)})`,
  );
  return `${capital(spoken(measure))} by ${grain}, with ${shown(intervalPercent)} % intervals:\n${lines.join('\n')}\n\nMethod: ${method}, based on ${basedOn}.`;
}

const TEXTS: Readonly<Record<string, (result: Result) => string>> = {
  explainChange: explainedText,
  compare: comparedText,
  forecast: forecastText,
};

export function analysisText(tool: string, value: unknown): string {
  const result = (value ?? {}) as Result;
  if (result.error !== undefined) return [result.error, result.hint].filter(Boolean).join(' ');
  return TEXTS[tool]?.(result) ?? '';
}
