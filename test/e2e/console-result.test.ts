/** The result view of the web console in a real browser, under the policy of the pages: table, chart, SQL, files. */
import { readFileSync } from 'node:fs';
import type { Browser, Download, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { QueryResult } from '../../plugins/query-api/index.ts';
import { findChromium, INSTALL_CHROMIUM, startBrowser } from '../harness/browser.ts';
import {
  accessibilityFaults,
  type ConsolePage,
  isWithinWindow,
  NARROW,
  openConsole,
  WIDE,
} from '../harness/console-page.ts';
import { suiteNeeding } from '../harness/require.ts';
import { type BuiltPage, startResultPage } from '../harness/result-page.ts';

const QUESTION = 'Revenue by region';
const SQL = "SELECT region, SUM(revenue) FROM orders WHERE state = 'paid'";
const IMAGE = '<img src=x onerror="globalThis.wasRun = true">';

type Rows = QueryResult['data'][number]['rows'];

/** The properties of the view. */
interface ResultProps {
  readonly question: string;
  readonly table: QueryResult['data'][number];
  readonly statement?: object;
  readonly isStored: boolean;
  readonly marked?: { readonly row: number; readonly column: string };
  readonly isCurrent?: boolean;
}

function propsOf(rows: Rows, more: Partial<ResultProps['table']> = {}, props: Partial<ResultProps> = {}): ResultProps {
  const columns = Object.keys(rows[0] ?? {});
  const facts = { rowCount: rows.length, truncated: false, connectionId: 'demo', durationMs: 12.3 };
  return {
    question: QUESTION,
    isStored: false,
    table: { columns, rows, sql: SQL, executedSql: `${SQL} AND tenant = ?`, ...facts, ...more },
    ...props,
  };
}

const REGIONS: Rows = [
  { region: 'North', revenue: 1200.5, orders: 30, day: '2024-02-01' },
  { region: 'South', revenue: 900, orders: 31, day: '2024-01-15' },
  { region: null, revenue: null, orders: 4, day: '2024-03-01' },
  { region: 'east', revenue: 15000, orders: 5, day: '2023-12-31' },
];

suiteNeeding(
  'chromium',
  findChromium() !== undefined,
  INSTALL_CHROMIUM,
)('the result view', () => {
  let served: BuiltPage;
  let browser: Browser;
  beforeAll(async () => {
    served = await startResultPage();
    browser = await startBrowser([]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
  });

  interface Visit extends ConsolePage {
    show(props: ResultProps): Promise<void>;
  }

  async function visit(
    props: ResultProps,
    query = '',
    viewport = WIDE,
    scheme: 'light' | 'dark' = 'light',
  ): Promise<Visit> {
    const { page, context, complaints, ...visited } = await openConsole(browser, served.url + query, {
      viewport,
      colorScheme: scheme,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const show = async (shown: ResultProps) => {
      await page.evaluate((given) => Object(globalThis).showResult(given), shown);
      await page.getByRole('tablist', { name: 'Result' }).waitFor();
    };
    await show(props);
    return {
      page,
      context,
      complaints,
      show,
      [Symbol.asyncDispose]: () => visited[Symbol.asyncDispose](),
    };
  }

  /** The texts of a column from top to bottom. */
  const columnTexts = (page: Page, place: number) =>
    page.locator(`tbody td[aria-colindex="${place}"]`).allTextContents();
  const head = (page: Page, name: string) => page.getByRole('columnheader', { name, exact: true });
  const sortBy = (page: Page, name: string) => head(page, name).getByRole('button').click();
  const active = (page: Page) => page.evaluate<string>('document.activeElement?.textContent');

  async function textOf(download: Download): Promise<string> {
    return readFileSync(await download.path(), 'utf8');
  }
  async function exportAs(page: Page, item: string): Promise<Download> {
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: item, exact: true }).click(),
    ]);
    return download;
  }

  it('is a real table, which sorts numbers, texts and dates with nulls last', async () => {
    await using visited = await visit(propsOf(REGIONS));
    const { page } = visited;
    const table = page.getByRole('table', { name: QUESTION });
    expect(await table.getAttribute('aria-rowcount')).toBe('5');
    expect(await table.getByRole('row').count()).toBe(5);
    expect(await columnTexts(page, 2)).toEqual(['1,200.5', '900', '—', '15,000']);
    expect(await page.getByRole('cell', { name: '—' }).first().getAttribute('title')).toBe('NULL');
    await sortBy(page, 'revenue');
    expect(await head(page, 'revenue').getAttribute('aria-sort')).toBe('ascending');
    expect(await columnTexts(page, 2)).toEqual(['900', '1,200.5', '15,000', '—']);
    await sortBy(page, 'revenue');
    expect(await head(page, 'revenue').getAttribute('aria-sort')).toBe('descending');
    expect(await columnTexts(page, 2)).toEqual(['15,000', '1,200.5', '900', '—']);
    await sortBy(page, 'region');
    expect(await columnTexts(page, 1)).toEqual(['east', 'North', 'South', '—']);
    await sortBy(page, 'day');
    expect((await columnTexts(page, 4))[0]).toBe('2023-12-31');
    expect(await head(page, 'region').getAttribute('aria-sort')).toBeNull();
    expect(new URL(page.url()).search).toBe('?sort=day');
    expect(visited.complaints).toEqual([]);
  });

  it('columns are resized by the pointer and fitted by a double click', async () => {
    await using visited = await visit(propsOf(REGIONS));
    const { page } = visited;
    const width = async () => Math.round((await head(page, 'region').boundingBox())?.width ?? 0);
    const fitting = await width();
    const handle = head(page, 'region').getByTitle('Drag to change the width');
    const { x = 0, y = 0, width: size = 0, height = 0 } = (await handle.boundingBox()) ?? {};
    await page.mouse.move(x + size / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + size / 2 + 100, y + height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await width()).toBe(fitting + 100);
    expect(await head(page, 'region').getAttribute('aria-sort')).toBeNull();
    await handle.dblclick();
    expect(await width()).toBe(fitting);
    expect(visited.complaints).toEqual([]);
  });

  it('filters by column and keeps view, sort and filter in the address', async () => {
    await using visited = await visit(propsOf(REGIONS), '?view=table&sort=-orders&filter=revenue%3A%3E900');
    const { page } = visited;
    await expect.poll(() => columnTexts(page, 1)).toEqual(['North', 'east']);
    expect(await page.getByRole('searchbox', { name: 'Filter revenue' }).inputValue()).toBe('>900');
    await page.getByText('2 of 4 rows.').waitFor();
    await page.getByRole('searchbox', { name: 'Filter region' }).fill('EA');
    await expect.poll(() => columnTexts(page, 1)).toEqual(['east']);
    await page.getByRole('searchbox', { name: 'Filter region' }).fill('nowhere');
    await page.getByText('No rows match the filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => columnTexts(page, 3)).toEqual(['31', '30', '5', '4']);
    await page.getByRole('tab', { name: 'SQL' }).click();
    expect(new URL(page.url()).search).toBe('?view=sql&sort=-orders');
    await visited.show(propsOf(REGIONS, {}, { isCurrent: false }));
    expect(new URL(page.url()).search).toBe('');
    expect(visited.complaints).toEqual([]);
  });

  it('Shift and a click select up to there, from the cell that was chosen last', async () => {
    await using visited = await visit(propsOf(REGIONS));
    const { page } = visited;
    const cell = (text: string) => page.getByRole('cell', { name: text, exact: true });
    await cell('900').click();
    await cell('North').click();
    await cell('900').click({ modifiers: ['Shift'] });
    await page.keyboard.press('Control+c');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('North\t1200.5\nSouth\t900');
    expect(visited.complaints).toEqual([]);
  });

  it('is used by keyboard alone: tabs, cells, copies, widths, columns', async () => {
    await using visited = await visit(propsOf(REGIONS));
    const { page } = visited;
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await page.getByRole('tab', { name: 'Table' }).focus();
    await press('ArrowRight', 'End');
    expect(await page.getByRole('tab', { name: 'SQL' }).getAttribute('aria-selected')).toBe('true');
    await press('ArrowRight');
    expect(await active(page)).toBe('Table');

    await head(page, 'region').getByRole('button').focus();
    const width = (await head(page, 'region').boundingBox())?.width ?? 0;
    await press('Shift+ArrowRight', 'Shift+ArrowRight');
    expect((await head(page, 'region').boundingBox())?.width).toBeCloseTo(width + 32, 0);
    await press('ArrowDown');
    await expect.poll(() => active(page)).toBe('North');
    await press('ArrowRight', 'ArrowDown');
    await expect.poll(() => active(page)).toBe('900');
    await press('Control+c');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('900');
    await press('Shift+ArrowUp', 'Shift+ArrowLeft', 'Control+c');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('North\t1200.5\nSouth\t900');
    await press('Control+End');
    await expect.poll(() => active(page)).toBe('2023-12-31');
    await press('Enter');
    await page.getByRole('dialog', { name: 'day, row 4' }).getByText('2023-12-31').waitFor();
    await press('Escape');
    await expect.poll(() => active(page)).toBe('2023-12-31');
    await press('Control+Home', 'ArrowUp');
    expect(await active(page)).toBe('region');
    await press('Enter');
    expect(await head(page, 'region').getAttribute('aria-sort')).toBe('ascending');

    await page.getByRole('button', { name: 'Columns' }).focus();
    await press('Enter');
    const columns = page.getByRole('dialog', { name: 'Shown columns' });
    await columns.getByRole('checkbox', { name: 'revenue' }).press('Space');
    await press('Escape');
    expect(await head(page, 'revenue').count()).toBe(0);
    await page.getByRole('button', { name: 'Export' }).focus();
    await press('ArrowDown');
    await expect.poll(() => active(page)).toBe('CSV');
    await press('End');
    expect(await active(page)).toBe('Print');
    await press('Escape');
    expect(await active(page)).toBe('Export');
    expect(visited.complaints).toEqual([]);
  });

  it('10,000 rows are few elements, and the keys reach all of them', async () => {
    const rows = Array.from({ length: 10_000 }, (_, at) =>
      Object.fromEntries(Array.from({ length: 10 }, (_v, place) => [`c${place}`, (at * 7_919 + place) % 10_007])),
    );
    await using visited = await visit(propsOf(rows, { truncated: true }));
    const { page } = visited;
    await page.getByText('First 10,000 of more').waitFor();
    expect(await page.locator('body *').count()).toBeLessThanOrEqual(600);
    await sortBy(page, 'c0');
    expect((await columnTexts(page, 1))[0]).toBe('0');
    await page.locator('tbody td').nth(1).click();
    await page.keyboard.press('Control+End');
    await page.locator('tr[aria-rowindex="10001"] td[aria-colindex="10"]:focus').waitFor();
    await page.mouse.move(400, 300);
    await page.mouse.wheel(0, -100_000);
    await expect.poll(() => page.locator('tr[aria-rowindex="5001"], tr[aria-rowindex="10001"]').count()).toBe(0);
    await page.keyboard.press('ArrowUp');
    await page.locator('tr[aria-rowindex="10000"] td[aria-colindex="10"]:focus').waitFor();
    expect(await page.locator('body *').count()).toBeLessThanOrEqual(600);
  });

  it('shows the cell that a number of the text stands for', async () => {
    const rows = Array.from({ length: 2_000 }, (_, at) => ({ name: `row ${at}`, value: at }));
    const marked = { row: 1_500, column: 'value' };
    await using visited = await visit(propsOf(rows, {}, { marked }), '?view=sql&filter=name%3Arow%201');
    const { page } = visited;
    const cell = page.locator('td[data-marked]');
    await cell.waitFor();
    expect(await cell.textContent()).toBe('1,500');
    expect(new URL(page.url()).search).toBe('?filter=name%3Arow+1');
    await visited.show(propsOf(rows, {}, { marked: { row: 20, column: 'value' } }));
    await expect.poll(() => cell.textContent()).toBe('20');
    expect(new URL(page.url()).search).toBe('');
  });

  it('draws the chart that fits, and others by hand', async () => {
    await using visited = await visit(propsOf(REGIONS), '?view=chart');
    const { page } = visited;
    await page.getByRole('img', { name: /^Lines: revenue by day\. Highest 2023-12-31: 15,000/ }).waitFor();
    await page.locator('svg path.mark-line').first().waitFor();
    await page.getByLabel('Chart type').selectOption('Bars');
    await page.getByLabel('Across').selectOption('region');
    await expect.poll(() => page.locator('svg .mark-bar rect').count()).toBe(3);
    await page.getByLabel('Value').selectOption('orders');
    await expect.poll(() => page.locator('svg .mark-bar rect').count()).toBe(4);
    await page.getByRole('img', { name: 'Bars: orders by region. Highest South: 31; lowest NULL: 4.' }).waitFor();
    for (const [mark, drawn] of [
      ['Pie', '.mark-pie path'],
      ['Areas', 'path.mark-area'],
      ['Points', '.mark-point circle'],
      ['Lines', 'path.mark-line'],
    ] as const) {
      await page.getByLabel('Chart type').selectOption(mark);
      await page.getByRole('img', { name: new RegExp(`^${mark}: `) }).waitFor();
      await page.locator(`svg ${drawn}`).first().waitFor();
    }
    await visited.show(propsOf([{ total: 1_234_567 }], {}, {}));
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByText('1,234,567').waitFor();
    await visited.show(propsOf([{ name: 'a' }, { name: 'b' }]));
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByText('No chart can be made of these columns.').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['CSV', 'JSON', 'Markdown', 'Print']);
    expect(visited.complaints).toEqual([]);
  });

  it('saves what is shown as files named after the question', async () => {
    const rows = [
      { name: '=1+1', value: 2 },
      { name: 'plain', value: -1 },
    ];
    await using visited = await visit(propsOf(rows), '?sort=value');
    const { page } = visited;
    const csv = await exportAs(page, 'CSV');
    expect(csv.suggestedFilename()).toBe('revenue-by-region.csv');
    expect(await textOf(csv)).toBe("\ufeffname,value\r\nplain,-1\r\n'=1+1,2\r\n");
    expect(JSON.parse(await textOf(await exportAs(page, 'JSON')))).toEqual([rows[1], rows[0]]);
    expect(await textOf(await exportAs(page, 'Markdown'))).toContain('| plain | -1 |\n| =1+1 | 2 |\n');
    const svg = await exportAs(page, 'SVG');
    expect(svg.suggestedFilename()).toBe('revenue-by-region.svg');
    expect(await textOf(svg)).toMatch(/^<svg[\s\S]*plain[\s\S]*<\/svg>\s*$/);
    const png = readFileSync(await (await exportAs(page, 'PNG')).path());
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByLabel('Chart type').selectOption('Pie');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'SVG' }).click();
    await page.getByText('The file could not be made. A pie cannot show values below zero.').waitFor();
    expect(visited.complaints).toEqual([]);
  });

  it('prints all rows without the page around them', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => ({ at }));
    await using visited = await visit(propsOf(rows));
    const { page } = visited;
    await page.evaluate(
      'globalThis.print = () => { globalThis.printed = document.querySelectorAll("[data-printed] tbody tr").length; }',
    );
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Print' }).click();
    await expect.poll(() => page.evaluate('globalThis.printed')).toBe(300);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('tablist').isVisible()).toBe(false);
    expect(await page.getByRole('heading', { name: QUESTION }).isVisible()).toBe(true);
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    await expect.poll(() => page.locator('[data-printed]').count()).toBe(0);
    expect(visited.complaints).toEqual([]);
  });

  it('says what ran, with who changed it, and nothing of it to a role that may not see SQL', async () => {
    const facts = {
      toolCallId: 'x',
      tables: ['orders'],
      connectionId: 'demo',
      durationMs: 3,
      rowCount: 4,
      truncated: false,
    };
    const changes = [{ plugin: 'row-policies', reason: `Only paid orders. ${IMAGE}` }];
    const statement = { ...facts, requested: 'SELECT 1', executed: 'SELECT 2', changes, notes: [], auditId: 'entry-7' };
    await using visited = await visit(propsOf(REGIONS, {}, { statement }));
    const { page } = visited;
    const ran = page.getByRole('region', { name: 'What ran' });
    for (const text of [
      'As asked',
      'SELECT 1',
      'As executed',
      'SELECT 2',
      'Changes',
      'row-policies',
      IMAGE,
      'orders',
      'entry-7',
    ]) {
      await ran.getByText(text).first().waitFor();
    }
    await page.getByRole('tab', { name: 'SQL' }).click();
    await page.getByRole('button', { name: 'Copy SQL' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('SELECT 1');
    const hidden = { ...facts, changes: [], notes: [], auditId: null };
    await visited.show(propsOf(REGIONS, { sql: '', executedSql: '' }, { statement: hidden }));
    await ran.getByText('Your role does not include seeing SQL.').waitFor();
    expect(await page.getByRole('tab').allTextContents()).toEqual(['Table', 'Chart']);
    await visited.show(propsOf(REGIONS, {}, { isStored: true }));
    await ran.getByText(`${SQL} AND tenant = ?`).waitFor();
    await page.getByText('First 4 rows of the stored answer').waitFor();
    expect(visited.complaints).toEqual([]);
  });

  it('hostile names and values are text, and harmless ones look right', async () => {
    const hostile = [
      IMAGE,
      '\u202egpj.exe',
      'pay\u200bpal',
      'a\0b\u001b[31m',
      '=HYPERLINK("https://evil.example")',
      'javascript:alert(1)',
      '{{constructor}}',
      '</script><script>globalThis.wasRun = true</script>',
      '[x](https://evil.example)',
      '👩‍👩‍👧 שלום',
    ];
    const columns = ['__proto__', '', ' ', IMAGE, 'datum["x"]', "a.b[0]\\'", '\u202ename', 'constructor', 'n'];
    const rows = hostile.map((text, at) =>
      JSON.parse(JSON.stringify(Object.fromEntries(columns.map((name) => [name, name === 'n' ? at : text])))),
    );
    await using visited = await visit(propsOf([], {}, {}));
    const { page } = visited;
    // JSON of the page keeps a column of this name; what is handed over by the driver does not.
    await page.evaluate(
      (text) => Object(globalThis).showResult(JSON.parse(text)),
      propsText(propsOf(rows, { columns }, { question: IMAGE })),
    );
    await page.getByRole('columnheader', { name: '__proto__' }).waitFor();
    expect(await columnTexts(page, 1)).toEqual([
      IMAGE,
      'U+202Egpj.exe',
      'payU+200Bpal',
      'a␀b␛[31m',
      ...hostile.slice(4, 9),
      '👩‍👩‍👧 שלום',
    ]);
    expect(await head(page, 'Column 2').count()).toBe(1);
    await sortBy(page, '__proto__');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('searchbox', { name: 'Filter __proto__' }).fill('exe');
    await expect.poll(() => columnTexts(page, 1)).toEqual(['U+202Egpj.exe']);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('tab', { name: 'Chart' }).click();
    await expect.poll(() => page.locator('svg .mark-bar rect').count()).toBe(10);
    for (const across of await page.getByLabel('Across').locator('option').allTextContents()) {
      await page.getByLabel('Across').selectOption(across);
      await page.getByRole('img').waitFor();
    }
    await page.getByLabel('Split by').selectOption({ index: 3 });
    await page.locator('svg .chart-legend').waitFor();
    expect(JSON.parse(await textOf(await exportAs(page, 'JSON')))).toHaveLength(10);
    expect(await page.locator('img, script:not([src])').count()).toBe(0);
    expect(await page.evaluate('globalThis.wasRun')).toBeUndefined();
    expect(visited.complaints).toEqual([]);
    // The policy holds, so that a report would have been made.
    await expect(page.evaluate('document.body.innerHTML = "<b>x</b>"')).rejects.toThrow('TrustedHTML');
    await expect.poll(() => visited.complaints).not.toEqual([]);
  });

  const propsText = (props: ResultProps) => JSON.stringify(props);

  it('500 columns and a cell of a megabyte', async () => {
    const names = Array.from({ length: 500 }, (_, at) => `column ${at}`);
    const rows = Array.from({ length: 20 }, (_, at) =>
      Object.fromEntries(
        names.map((name, place) => [name, place === 1 ? 'long '.repeat(200_000) : { at, place: [place] }]),
      ),
    );
    await using visited = await visit(propsOf(rows));
    const { page } = visited;
    expect(await page.getByRole('table').getAttribute('aria-colcount')).toBe('500');
    expect(await page.locator('body *').count()).toBeLessThanOrEqual(600);
    await page.getByRole('button', { name: 'Show whole' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'column 1, row 1' });
    await dialog.waitFor();
    expect((await dialog.textContent())?.length).toBeGreaterThan(1_000_000);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByText('Copied').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('End');
    await page.locator('td[aria-colindex="500"]:focus').waitFor();
    expect(await page.locator('td:focus').textContent()).toBe('{"at":0,"place":[499]}');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByText('The first 100 of 500 columns are listed.').waitFor();
    await page.getByRole('searchbox', { name: 'Find a column' }).fill('column 499');
    await page.getByRole('checkbox', { name: 'column 499' }).click();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('table').getAttribute('aria-colcount')).toBe('499');
    expect(visited.complaints).toEqual([]);
  });

  it.each([
    ['phone', 'light', NARROW],
    ['phone', 'dark', NARROW],
    ['desktop', 'light', WIDE],
    ['desktop', 'dark', WIDE],
  ] as const)(
    'on a %s in %s, axe finds nothing and the page is not wider than the screen',
    async (_name, scheme, size) => {
      const changes = [{ plugin: 'row-policies', reason: 'Only paid orders.' }];
      const facts = {
        toolCallId: 'x',
        tables: ['orders'],
        connectionId: 'demo',
        durationMs: 3,
        rowCount: 4,
        truncated: false,
      };
      const statement = { ...facts, requested: SQL, executed: `${SQL} LIMIT 5`, changes, notes: [], auditId: 'a' };
      await using visited = await visit(
        propsOf(REGIONS, {}, { statement, marked: { row: 1, column: 'revenue' } }),
        '',
        size,
        scheme,
      );
      const { page } = visited;
      const check = async (what: string) => {
        expect(await accessibilityFaults(page), what).toEqual([]);
        expect(await isWithinWindow(page), what).toBe(true);
      };
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.locator('tbody td').nth(1).click();
      await check('table');
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('checkbox').first().waitFor();
      await check('columns');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.locator('tbody td').nth(1).dblclick();
      await page.getByRole('dialog').waitFor();
      await check('whole cell');
      await page.keyboard.press('Escape');
      await page.getByRole('tab', { name: 'Chart' }).click();
      await page.locator('svg').waitFor();
      await check('chart');
      await page.getByRole('tab', { name: 'SQL' }).click();
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem').first().waitFor();
      await check('SQL and menu');
      expect(visited.complaints).toEqual([]);
    },
  );
});
