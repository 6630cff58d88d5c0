/** `npm run bench -- <name>… | against <commit> [--json]`: a table, or JSON. Exits 1 when a target is missed. */
import { renderTable } from '../../plugins/cli/index.ts';
import { type Bench, holds, type Row } from './measure.ts';

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  hooks: async () => (await import('./hooks.ts')).hooks,
  guard: async () => (await import('./guard.ts')).guard,
  query: async () => (await import('./query.ts')).query,
  agent: async () => (await import('./agent.ts')).agent,
  start: async () => (await import('./start.ts')).start,
  semantic: async () => (await import('./semantic.ts')).semantic,
  store: async () => (await import('./store.ts')).store,
  unread: async () => (await import('./unread.ts')).unread,
  describe: async () => (await import('./describe.ts')).describe,
  grounding: async () => (await import('./grounding.ts')).grounding,
  retrieval: async () => (await import('./retrieval.ts')).retrieval,
  features: async () => (await import('./features.ts')).features,
  growth: async () => (await import('./growth.ts')).growth,
  admin: async () => (await import('./admin.ts')).admin,
  cluster: async () => (await import('./cluster.ts')).cluster,
  analysis: async () => (await import('./analysis.ts')).analysis,
  empty: async () => (await import('./empty.ts')).empty,
  web: async () => (await import('./web.ts')).web,
  export: async () => (await import('./export.ts')).exported,
};

/** Three significant digits, without exponents; whole numbers stay whole. */
function figure(value: number): string {
  if (value >= 1_000 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
}

function display(row: Row): Record<string, string> {
  const kept = holds(row);
  const bound =
    row.atLeast !== undefined
      ? `≥ ${figure(row.atLeast)}`
      : row.target === undefined
        ? ''
        : `≤ ${row.target.toLocaleString('en-US')}${row.floor === undefined ? '' : '×'}`;
  return {
    what: row.what,
    measured: `${figure(row.value)} ${row.unit}`,
    against: row.floor === undefined ? '' : `${figure(row.floor)} ${row.unit}`,
    ratio: row.floor === undefined ? '' : `${(row.value / row.floor).toFixed(2)}×`,
    target: bound,
    kept: kept === undefined ? '' : kept ? 'yes' : 'NO',
  };
}

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith('--'));
/** What this clone is measured against. */
const commit = names[0] === 'against' ? names.splice(0, 2)[1] : undefined;
const unknown = names.filter((name) => BENCHES[name] === undefined);
if ((names.length === 0 && commit === undefined) || unknown.length > 0) {
  process.stderr.write(`Name a benchmark: ${Object.keys(BENCHES).join(', ')}; or \`against\` and a commit.\n`);
  process.exit(2);
}
const rows: Row[] = commit === undefined ? [] : await (await import('./query.ts')).against(commit);
for (const name of names) {
  const bench = await BENCHES[name]?.();
  if (bench !== undefined) rows.push(...(await bench()));
}
process.stdout.write(
  args.includes('--json')
    ? `${JSON.stringify(
        rows.map((row) => ({ ...row, kept: holds(row) })),
        undefined,
        2,
      )}\n`
    : `${renderTable({ columns: ['what', 'measured', 'against', 'ratio', 'target', 'kept'], rows: rows.map(display) }, { color: false, maxRows: 100 })}\n`,
);
process.exit(rows.every((row) => holds(row) !== false) ? 0 : 1);
