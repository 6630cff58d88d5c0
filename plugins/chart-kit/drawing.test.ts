/** Tests that a drawing is well-formed and holds nothing but shapes and texts, whatever the rows and names are. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drawChart } from './drawing.ts';
import { drawnTable } from './drawn-chart.ts';
import { AGGREGATES, type ChartSpec, FORMATS, MARKS, SORTS } from './spec.ts';
import { PALETTE } from './style.ts';
import { type SvgElement, svgText } from './svg.ts';

const ELEMENTS = ['svg', 'title', 'desc', 'g', 'rect', 'circle', 'line', 'path', 'text'];
const ATTRIBUTES =
  /^(?:xmlns|role|aria-label|width|height|viewBox|transform|class|[xy][12]?|[cr][xy]?|d|fill|fill-opacity|stroke|stroke-width|stroke-linejoin|text-anchor|font-family|font-size)$/;
/** Of attributes other than the sentence: words of this kit and numbers. */
const VALUE = /^[\w\s#.,()-]*$|^http:\/\/www\.w3\.org\/2000\/svg$/;

function* elementsOf(tree: SvgElement): Generator<SvgElement> {
  yield tree;
  for (const child of tree.children) yield* elementsOf(child);
}

const ESCAPED = '(?:[^<>&"\']|&(?:amp|lt|gt|quot|#39);)*';
const TOKEN = new RegExp(`<(/?)([a-z]+)((?: [a-zA-Z-]+[12]?="${ESCAPED}")*)>|${ESCAPED}`, 'y');

/** Reads the text by a grammar that is stricter than XML's: no entity, comment or instruction, every element is ended. */
function readStrictly(text: string): { readonly name: string; readonly attributes: readonly (readonly string[])[] }[] {
  const read: ReturnType<typeof readStrictly> = [];
  const open: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const [token = '', end, name, attributes = ''] = TOKEN.exec(text) ?? [];
    expect(token, text.slice(TOKEN.lastIndex, TOKEN.lastIndex + 50)).not.toBe('');
    if (name === undefined) continue;
    if (end === '/') expect(open.pop()).toBe(name);
    else {
      open.push(name);
      read.push({
        name,
        attributes: [...attributes.matchAll(/ ([a-zA-Z-]+[12]?)="([^"]*)"/g)].map((match) => match.slice(1)),
      });
    }
  }
  expect(open).toEqual([]);
  return read;
}

function expectHarmless(tree: SvgElement): void {
  const text = svgText(tree);
  const found = readStrictly(text);
  for (const { name, attributes } of found) {
    expect(ELEMENTS).toContain(name);
    for (const [key = '', value = ''] of attributes) {
      expect(key).toMatch(ATTRIBUTES);
      if (key === 'aria-label') continue;
      expect(value).toMatch(VALUE);
      expect(value).not.toMatch(/NaN|Infinity|undefined/);
    }
  }
  expect(found).toHaveLength([...elementsOf(tree)].length);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no place for them
  expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  expect(text.isWellFormed()).toBe(true);
}

const HOSTILE = [
  '</svg><script>alert(1)</script>',
  '"><image href="https://x.example/y.png"/>',
  "' onload='alert(1)",
  '&lt;script&gt; &#x3c; &amp',
  '<![CDATA[x]]><!-- y --><?z?>',
  'javascript:alert(1)',
  'url(https://x.example)',
  '\u0000\u0001\u001b[31m\ufffe\uffff',
  '\ud800',
  '\u202egpj.exe',
  '__proto__',
  'constructor',
  'x'.repeat(100_000),
  '👩‍👩‍👧 שלום 東京',
];
const NUMBERS = [0, -0, 1, -1, 0.1, 1e308, -1e308, 1.7976931348623157e308, 5e-324, Number.NaN, Infinity, -Infinity];
const DATES = ['2024-01-01', '0000-01-01', '9999-12-31', '2024-02-30', '2024-01-01T00:00:00.000Z', '2024-01'];
const TEXTS = fc.constantFrom(...HOSTILE, ...DATES);
const cell = fc.oneof(
  fc.constantFrom<unknown>(...NUMBERS, null, undefined, true, '', '12345678901234567.89', { a: '<b>' }),
  TEXTS,
  fc.double(),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const column = fc.oneof(
  fc.array(cell, { minLength: 12, maxLength: 12 }),
  fc.array(fc.constantFrom<unknown>(...NUMBERS, null), { minLength: 12, maxLength: 12 }),
  fc.array(fc.constantFrom<unknown>(...DATES, null), { minLength: 12, maxLength: 12 }),
);
const drawing = fc.record({
  columns: fc.array(column, { minLength: 3, maxLength: 3 }),
  names: fc.uniqueArray(fc.oneof(TEXTS, fc.string({ unit: 'binary', maxLength: 20 })), { minLength: 3, maxLength: 3 }),
  mark: fc.constantFrom(...MARKS),
  measures: fc.constantFrom<number[]>([], [1], [1, 2]),
  isSplit: fc.boolean(),
  aggregate: fc.constantFrom(...AGGREGATES),
  sort: fc.constantFrom(...SORTS),
  format: fc.option(fc.constantFrom(...FORMATS), { nil: undefined }),
  style: fc.constantFrom('number', 'currency', 'percent', 'duration', 'compact'),
  unit: TEXTS,
  stack: fc.boolean(),
  title: fc.option(TEXTS, { nil: undefined }),
  options: fc.record({ width: fc.constantFrom(0, 300, 900, 5_000), isInteractive: fc.boolean() }),
});

it('whatever is drawn, only shapes and texts come of it', () => {
  let drawnOnes = 0;
  fc.assert(
    fc.property(drawing, ({ columns, names, measures, isSplit, title, options, format, style, unit, ...rest }) => {
      const rows = Array.from({ length: 12 }, (_, at) =>
        // As rows arrive, which may have a property of any name.
        Object.fromEntries(names.map((name, index) => [name, columns[index]?.[at]])),
      );
      const spec: ChartSpec = {
        ...rest,
        x: names[0] ?? '',
        y: measures.map((index) => names[index] ?? ''),
        ...(isSplit && { series: names[2] ?? '' }),
        ...(title !== undefined && { title }),
        ...(format !== undefined && { format }),
      };
      const formats = Object.fromEntries(names.map((name) => [name, { style, unit }]));
      const chart = drawnTable(spec, { columns: names, rows, formats }, 'en');
      if (chart.drawn.points.length > 0) drawnOnes += 1;
      expectHarmless(drawChart(chart, options));
    }),
    { numRuns: 400 },
  );
  expect(drawnOnes).toBeGreaterThan(100);
});

const table = (values: readonly (readonly [unknown, unknown, unknown?])[]) => ({
  columns: ['place', 'n', 'kind'],
  rows: values.map(([place, n, kind = null]) => ({ place, n, kind })),
});
const SPEC: ChartSpec = { mark: 'bar', x: 'place', y: ['n'], aggregate: 'sum', sort: 'value', stack: false };
const drawn = (spec: Partial<ChartSpec>, values: Parameters<typeof table>[0], isInteractive = false) =>
  drawChart(drawnTable({ ...SPEC, ...spec }, table(values), 'en'), { isInteractive });
const group = (tree: SvgElement, kind: string) =>
  [...elementsOf(tree)].find(({ attributes }) => attributes.class === kind)?.children ?? [];

it('is a picture with a title and a description', () => {
  const tree = drawn({ title: 'Towns' }, [
    ['Linz', 3],
    ['Graz', 1],
  ]);
  expect(tree.attributes).toMatchObject({ role: 'img', 'aria-label': expect.stringContaining('Bars: n by place.') });
  expect(tree.children.slice(0, 2)).toMatchObject([
    { name: 'title', text: 'Towns' },
    { name: 'desc', text: 'Bars: n by place. Highest Linz: 3; lowest Graz: 1.' },
  ]);
});

it('bars are as long as their values, and stand on each other where they are stacked', () => {
  const lengths = (tree: SvgElement) => group(tree, 'mark-bar').map(({ attributes }) => Number(attributes.width));
  const [long = 0, short = 0] = lengths(
    drawn({}, [
      ['a', 4],
      ['b', 1],
    ]),
  );
  expect(long / short).toBeCloseTo(4, 1);
  const split = [
    ['a', 1, 'x'],
    ['a', 2, 'y'],
  ] as const;
  const stacked = group(drawn({ series: 'kind', stack: true }, split), 'mark-bar').map(({ attributes }) => attributes);
  expect(Number(stacked[1]?.x)).toBeCloseTo(Number(stacked[0]?.x) + Number(stacked[0]?.width), 1);
  const beside = group(drawn({ series: 'kind' }, split), 'mark-bar').map(({ attributes }) => attributes);
  expect(beside[1]?.x).toBe(beside[0]?.x);
  expect(Number(beside[1]?.y)).toBeGreaterThan(Number(beside[0]?.y));
});

it('the parts of a pie are those of the whole, and are named', () => {
  const tree = drawn(
    { mark: 'pie' },
    [
      ['a', 3],
      ['b', 1],
    ],
    true,
  );
  expect(group(tree, 'mark-pie').map(({ children }) => children[0]?.text)).toEqual(['a: 3', 'b: 1']);
  expect(group(tree, 'chart-legend').flatMap(({ text }) => text ?? [])).toEqual(['a', 'b']);
  expect(group(drawn({ mark: 'pie' }, [['a', 3]]), 'mark-pie')[0]?.name).toBe('circle');
});

it('stacked areas reach the sum of their series', () => {
  const days = [
    ['2024-01', 1, 'x'],
    ['2024-01', 2, 'y'],
    ['2024-02', 1, 'x'],
  ] as const;
  const tops = (stack: boolean) =>
    [...elementsOf(drawn({ mark: 'area', series: 'kind', stack }, days))]
      .filter(({ attributes }) => attributes.class === 'mark-line')
      .map(({ attributes }) =>
        Math.min(
          ...String(attributes.d)
            .slice(1)
            .split('L')
            .map((pair) => Number(pair.split(' ')[1])),
        ),
      );
  const [, alone = 0] = tops(false);
  const [, onTop = 0] = tops(true);
  expect(onTop).toBeLessThanOrEqual(alone);
  expect(tops(true)[0]).toBeGreaterThan(onTop);
});

it('5,000 points are drawn in a bounded size', () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => [at, at % 97, `s${at % 8}`] as const);
  for (const mark of MARKS) expect(svgText(drawn({ mark, series: 'kind' }, rows)).length).toBeLessThan(400_000);
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
