import { logger, None, parse, View } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { compile } from 'vega-lite';
import { expect, it } from 'vitest';
import { columnsOf } from '../columns.ts';
import { MARKS } from './chart-spec.ts';
import { drawnChart } from './drawn-chart.ts';
import { PALETTE, vegaLiteSpec } from './vega-spec.ts';

const HOSTILE = ['datum["x"]', "a'b\\", '{"signal": "alert(1)"}', 'a.b[0]', 'https://evil.example/x.png'];
const rows = HOSTILE.map((text, at) => ({
  [HOSTILE[0] as string]: text,
  [HOSTILE[2] as string]: at,
  [HOSTILE[3] as string]: text,
}));
const TABLE = { rowCount: 5, truncated: false, sql: '', executedSql: '', connectionId: '', durationMs: 0 };
const columns = columnsOf({
  ...TABLE,
  columns: [HOSTILE[0] as string, HOSTILE[2] as string, HOSTILE[3] as string],
  rows,
});

/** Texts of the specification at which Vega looks for an expression, an address or a field. */
function interpreted(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'values') return [];
    const isRead = ['signal', 'expr', 'update', 'init', 'url', 'href', 'field', 'as', 'groupby', 'sort'].includes(key);
    return [...(isRead ? [JSON.stringify(inner)] : []), ...interpreted(inner)];
  });
}

it.each(MARKS)('no name and no value is an expression, an address or a field in %s', (mark) => {
  const chart = drawnChart(
    { mark, x: 0, y: [1], series: mark === 'pie' ? undefined : 2, aggregate: 'sum' },
    columns,
    rows,
  );
  const { spec } = compile(vegaLiteSpec({ ...chart, width: 500 }), { logger: logger(None) });
  const texts = interpreted(spec);
  expect(texts.length).toBeGreaterThan(3);
  for (const text of texts) expect(text).not.toMatch(/alert|evil|a\.b|a'b/);
  expect(JSON.stringify(spec)).not.toMatch(/"(?:url|href)"/);
});

it.each(['__proto__', 'constructor', 'toString'])('%s is drawn as a name and as a value', async (name) => {
  const named = JSON.parse(`[{"${name}":"${name}","n":1},{"${name}":"b","n":2}]`);
  const drawn = columnsOf({ ...TABLE, columns: [name, 'n'], rows: named });
  for (const mark of MARKS) {
    const chart = drawnChart({ mark, x: 0, y: [1], series: 0, aggregate: 'sum' }, drawn, named);
    const faults: unknown[] = [];
    const log = logger(None);
    log.error = (...args) => {
      faults.push(...args);
      return log;
    };
    const { spec } = compile(vegaLiteSpec({ ...chart, width: 500 }), { logger: logger(None) });
    const view = new View(parse(spec, undefined, { ast: true }), { expr: expressionInterpreter, logger: log });
    expect(await view.toSVG()).toContain(name);
    expect(faults).toEqual([]);
  }
});

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it.each(PALETTE)('%s stands out from white and from the dark background', (colour) => {
  for (const background of ['#ffffff', '#14171c']) {
    const [light = 0, dark = 0] = [luminance(colour), luminance(background)].toSorted((a, b) => b - a);
    expect((light + 0.05) / (dark + 0.05)).toBeGreaterThanOrEqual(3);
  }
});
