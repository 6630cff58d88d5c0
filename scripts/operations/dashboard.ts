/** Makes the dashboard of Grafana out of the list of metrics. */
import type { MetricName } from '../../plugins/telemetry-otel/index.ts';
import { series } from './series.ts';

type Query = readonly [expr: string, legend: string];

interface Panel {
  readonly title: string;
  /** As Grafana calls it. */
  readonly unit: string;
  readonly queries: readonly Query[];
}

/** The schema of Grafana 12. */
const SCHEMA_VERSION = 41;
const PANELS_IN_ROW = 3;
const WIDTH = 24 / PANELS_IN_ROW;
const HEIGHT = 8;
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

const CHOSEN = { job: /$job/, instance: /$instance/ };
const rate = (name: MetricName, by: string, ending: '' | '_count' | '_sum' = '') =>
  `sum by (${by}) (rate(${series(name, CHOSEN, ending)}[$__rate_interval]))`;
const quantile = (share: number, name: MetricName, by: string) =>
  `histogram_quantile(${share}, sum by (le, ${by}) (rate(${series(name, CHOSEN, '_bucket')}[$__rate_interval])))`;
const each = (name: MetricName, legend = '{{instance}}'): Query => [series(name, CHOSEN), legend];

const ROWS: Readonly<Record<string, readonly Panel[]>> = {
  Requests: [
    {
      title: 'Requests by status',
      unit: 'reqps',
      queries: [
        [rate('http.server.request.duration', 'http_response_status_code', '_count'), '{{http_response_status_code}}'],
      ],
    },
    {
      title: 'Duration by route, 95th percentile',
      unit: 's',
      queries: [[quantile(0.95, 'http.server.request.duration', 'http_route'), '{{http_route}}']],
    },
    {
      title: 'Open requests, running and waiting',
      unit: 'short',
      queries: [[`sum by (instance) (${series('http.server.active_requests', CHOSEN)})`, '{{instance}}']],
    },
  ],
  Model: [
    {
      title: 'Calls by outcome',
      unit: 'reqps',
      queries: [
        [
          rate('gen_ai.client.operation.duration', 'gen_ai_request_model, error_type', '_count'),
          '{{gen_ai_request_model}} {{error_type}}',
        ],
      ],
    },
    {
      title: 'Duration of calls, 95th percentile',
      unit: 's',
      queries: [
        [quantile(0.95, 'gen_ai.client.operation.duration', 'gen_ai_request_model'), '{{gen_ai_request_model}}'],
      ],
    },
    {
      title: 'Tokens per second',
      unit: 'short',
      queries: [
        [
          rate('gen_ai.client.token.usage', 'gen_ai_request_model, gen_ai_token_type', '_sum'),
          '{{gen_ai_request_model}} {{gen_ai_token_type}}',
        ],
      ],
    },
    {
      title: 'Cost per hour, in the currency of the configured prices',
      unit: 'short',
      queries: [[`3600 * ${rate('atlas.gen_ai.client.cost', 'gen_ai_request_model')}`, '{{gen_ai_request_model}}']],
    },
    {
      title: 'Questions without budget',
      unit: 'short',
      queries: [
        [
          `sum by (atlas_budget) (increase(${series('atlas.budget.exhausted', CHOSEN)}[1h]))`,
          '{{atlas_budget}} in the last hour',
        ],
      ],
    },
    {
      title: 'Limits that could not be shared',
      unit: 'short',
      queries: [
        [
          `sum by (instance, atlas_limits_store) (increase(${series('atlas.limits.not_shared', CHOSEN)}[5m]))`,
          '{{instance}} {{atlas_limits_store}}',
        ],
      ],
    },
  ],
  Databases: [
    {
      title: 'Statements by outcome',
      unit: 'ops',
      queries: [
        [rate('atlas.sql.settled', 'db_system_name, atlas_sql_status'), '{{db_system_name}} {{atlas_sql_status}}'],
      ],
    },
    {
      title: 'Duration of statements, 95th percentile',
      unit: 's',
      queries: [[quantile(0.95, 'db.client.operation.duration', 'db_system_name'), '{{db_system_name}}']],
    },
    {
      title: 'Time in plugins',
      unit: 'percentunit',
      queries: [
        [
          `topk(10, ${rate('atlas.hook.duration', 'atlas_plugin, atlas_hook', '_sum')})`,
          '{{atlas_plugin}} {{atlas_hook}}',
        ],
      ],
    },
  ],
  Process: [
    {
      title: 'Delay of the event loop',
      unit: 's',
      queries: [
        each('nodejs.eventloop.delay.p50', '{{instance}} 50 %'),
        each('nodejs.eventloop.delay.p90', '{{instance}} 90 %'),
        each('nodejs.eventloop.delay.p99', '{{instance}} 99 %'),
        each('nodejs.eventloop.delay.max', '{{instance}} max'),
      ],
    },
    {
      title: 'Mean delay of the event loop',
      unit: 's',
      queries: [
        each('nodejs.eventloop.delay.min', '{{instance}} min'),
        each('nodejs.eventloop.delay.mean', '{{instance}} mean'),
        each('nodejs.eventloop.delay.stddev', '{{instance}} standard deviation'),
      ],
    },
    { title: 'Use of the event loop', unit: 'percentunit', queries: [each('nodejs.eventloop.utilization')] },
    { title: 'Physical memory', unit: 'bytes', queries: [each('process.memory.usage')] },
    {
      title: 'Heap',
      unit: 'bytes',
      queries: [
        [`sum by (instance) (${series('v8js.memory.heap.used', CHOSEN)})`, '{{instance}} in use'],
        [`sum by (instance) (${series('v8js.memory.heap.limit', CHOSEN)})`, '{{instance}} reserved'],
        each('atlas.heap.max', '{{instance}} largest'),
      ],
    },
  ],
};

const panel = ({ title, unit, queries }: Panel, x: number, y: number) => ({
  type: 'timeseries',
  title,
  datasource: DATASOURCE,
  gridPos: { h: HEIGHT, w: WIDTH, x, y },
  fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } }, overrides: [] },
  options: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  targets: queries.map(([expr, legendFormat], index) => ({
    refId: String.fromCharCode(65 + index),
    datasource: DATASOURCE,
    expr,
    legendFormat,
  })),
});

function panels() {
  let y = 0;
  const all = Object.entries(ROWS).flatMap(([title, row]) => {
    const head = { type: 'row', title, collapsed: false, gridPos: { h: 1, w: 24, x: 0, y }, panels: [] };
    y += 1;
    const placed = row.map((item, index) =>
      panel(item, (index % PANELS_IN_ROW) * WIDTH, y + Math.floor(index / PANELS_IN_ROW) * HEIGHT),
    );
    y += Math.ceil(row.length / PANELS_IN_ROW) * HEIGHT;
    return [head, ...placed];
  });
  return all.map((item, index) => ({ id: index + 1, ...item }));
}

const variable = (name: string, selector: string) => ({
  name,
  type: 'query',
  datasource: DATASOURCE,
  query: { query: `label_values(${selector}, ${name})`, refId: name },
  refresh: 2,
  includeAll: true,
  multi: true,
  current: { text: 'All', value: '$__all' },
});

/** The dashboard, to be imported into Grafana. */
export function dashboard(): string {
  const memory = series('process.memory.usage');
  return `${JSON.stringify(
    {
      title: 'Atlas',
      uid: 'atlas',
      tags: ['atlas'],
      schemaVersion: SCHEMA_VERSION,
      editable: true,
      refresh: '30s',
      time: { from: 'now-6h', to: 'now' },
      templating: {
        list: [
          { name: 'datasource', type: 'datasource', query: 'prometheus', current: {} },
          variable('job', series('atlas.heap.max')),
          variable('instance', `${memory}{job=~"$job"}`),
        ],
      },
      annotations: { list: [] },
      panels: panels(),
    },
    null,
    2,
  )}\n`;
}
