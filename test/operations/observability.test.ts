/** The alerts and the dashboard match the metrics, the page of operations explains them, and Prometheus takes them. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { METRICS, type MetricName, prometheusName } from '../../plugins/telemetry-otel/index.ts';
import { generatedFiles } from '../../scripts/docs.ts';
import { ALERTS, anchorOf } from '../../scripts/operations/alerts.ts';
import { series } from '../../scripts/operations/series.ts';
import { emptyFolder } from '../harness/command.ts';
import { suiteNeeding } from '../harness/require.ts';
import { findTool } from '../harness/tools.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const page = textOf('docs/operations.md');

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard: { readonly panels: readonly Panel[]; readonly schemaVersion: number } = JSON.parse(
  textOf('operations/grafana/atlas.json'),
);
const shownExpressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

describe('operations', () => {
  it.each(Object.entries(generatedFiles()))('%s is fresh; if not, run "npm run docs"', (path, text) => {
    expect(textOf(path)).toBe(text);
  });

  it('every alert has a section of the page, and no section is of an alert that is gone', () => {
    const sections = [...page.matchAll(/^### (Atlas\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(ALERTS.map(({ alert }) => alert));
    for (const { alert } of ALERTS) {
      expect(textOf('operations/prometheus/alerts.yml')).toContain(`docs/operations.md#${anchorOf(alert)}\n`);
    }
  });

  it('the dashboard shows every metric, and each panel has a place of its own', () => {
    const all = shownExpressions.join('\n');
    for (const name of Object.keys(METRICS)) expect(all, name).toContain(prometheusName(name as MetricName));
    const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(places.length);
    for (const {
      gridPos: { x, w },
    } of dashboard.panels)
      expect(x + w).toBeLessThanOrEqual(24);
  });

  it('a label that a metric does not have is refused', () => {
    expect(() => series('atlas.heap.max', { 'error.type': 'x' })).toThrow('no attribute "error.type"');
  });
});

const promtool = findTool('promtool');
suiteNeeding(
  'promtool',
  promtool !== undefined,
  'Install promtool, which comes with Prometheus.',
)('promtool', () => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(promtool ?? '', args, { cwd: ROOT, encoding: 'utf8' });
    return { status, text: stdout + stderr };
  };

  it('takes the rules', () => {
    expect(run('check', 'rules', 'operations/prometheus/alerts.yml')).toMatchObject({ status: 0 });
  });

  it('takes what the dashboard asks', () => {
    using folder = emptyFolder();
    const path = join(folder.path, 'panels.yml');
    const rules = shownExpressions.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }));
    writeFileSync(path, stringify({ groups: [{ name: 'panels', rules }] }));
    expect(run('check', 'rules', path)).toMatchObject({ status: 0 });
  });

  it('every alert fires on a server in trouble, none on a healthy one', () => {
    const tests = textOf('test/operations/alerts.promtool.yml');
    for (const { alert } of ALERTS) expect(tests).toContain(`{alertname="${alert}"}`);
    const result = run('test', 'rules', 'test/operations/alerts.promtool.yml');
    expect(result.text).toContain('SUCCESS');
    expect(result.status, result.text).toBe(0);
  });
});
