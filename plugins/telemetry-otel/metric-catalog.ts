/** Declares every metric: name, unit, attributes. Instruments, alerts and dashboard are made from this one list. */

export interface Metric {
  readonly kind: 'counter' | 'histogram' | 'gauge' | 'sum';
  /** As in OpenTelemetry: `s`, `By`, `1`, or what is counted in braces. */
  readonly unit: string;
  readonly description: string;
  /** What series differ by. */
  readonly attributes: readonly string[];
  /** Bounds of a histogram's buckets, in its unit. */
  readonly bounds?: readonly number[];
}

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60];
const SQL_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];
const MODEL_SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const HOOK_SECONDS = [0.00001, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

const HTTP = ['http.request.method', 'url.scheme'] as const;
const MODEL = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model'] as const;
const SQL = ['db.system.name', 'db.operation.name', 'error.type'] as const;
const HEAP_SPACE = ['v8js.heap.space.name'] as const;

const delay = (name: string) =>
  ({ kind: 'gauge', unit: 's', description: `Delay of the event loop: ${name}.`, attributes: [] }) as const;

export const METRICS = {
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of HTTP requests.',
    attributes: [...HTTP, 'http.route', 'http.response.status_code', 'error.type'],
    bounds: REQUEST_SECONDS,
  },
  'http.server.active_requests': {
    kind: 'sum',
    unit: '{request}',
    description: 'HTTP requests that run now.',
    attributes: HTTP,
  },
  'gen_ai.client.operation.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of model calls.',
    attributes: [...MODEL, 'error.type'],
    bounds: MODEL_SECONDS,
  },
  'gen_ai.client.token.usage': {
    kind: 'histogram',
    unit: '{token}',
    description: 'Tokens of model calls.',
    attributes: [...MODEL, 'gen_ai.token.type'],
    bounds: TOKENS,
  },
  'atlas.gen_ai.client.cost': {
    kind: 'counter',
    unit: '',
    description: 'Cost of model calls, in the currency of the configured prices.',
    attributes: MODEL,
  },
  'atlas.budget.exhausted': {
    kind: 'counter',
    unit: '{question}',
    description: 'Questions that were refused or cut short because a token budget was spent.',
    attributes: ['atlas.budget'],
  },
  'atlas.limits.not_shared': {
    kind: 'counter',
    unit: '{failure}',
    description: 'Times that limits could not be shared with other servers, so that this one counted by itself.',
    attributes: ['atlas.limits.store'],
  },
  'db.client.operation.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Duration of SQL statements.',
    attributes: SQL,
    bounds: SQL_SECONDS,
  },
  'atlas.sql.settled': {
    kind: 'counter',
    unit: '{statement}',
    description: 'SQL statements by how they ended.',
    attributes: [...SQL, 'atlas.sql.status'],
  },
  'atlas.hook.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Time that plugins take in hooks.',
    attributes: ['atlas.hook', 'atlas.plugin'],
    bounds: HOOK_SECONDS,
  },
  'nodejs.eventloop.delay.min': delay('min'),
  'nodejs.eventloop.delay.max': delay('max'),
  'nodejs.eventloop.delay.mean': delay('mean'),
  'nodejs.eventloop.delay.stddev': delay('stddev'),
  'nodejs.eventloop.delay.p50': delay('p50'),
  'nodejs.eventloop.delay.p90': delay('p90'),
  'nodejs.eventloop.delay.p99': delay('p99'),
  'nodejs.eventloop.utilization': {
    kind: 'gauge',
    unit: '1',
    description: 'Share of the time in which the event loop was busy.',
    attributes: [],
  },
  'process.memory.usage': { kind: 'sum', unit: 'By', description: 'Physical memory in use.', attributes: [] },
  'v8js.memory.heap.used': { kind: 'sum', unit: 'By', description: 'Heap in use.', attributes: HEAP_SPACE },
  'v8js.memory.heap.limit': { kind: 'sum', unit: 'By', description: 'Heap that is reserved.', attributes: HEAP_SPACE },
  'atlas.heap.max': {
    kind: 'sum',
    unit: 'By',
    description: 'Size beyond which the heap cannot grow.',
    attributes: [],
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;

/** Units that Prometheus names at the end of a metric's name. */
export const UNIT_SUFFIXES: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes', '1': 'ratio' };

/** The name under which `GET /api/v1/metrics` serves a metric; a histogram has further endings, such as `_bucket`. */
export function prometheusName(name: MetricName): string {
  const { kind, unit }: Metric = METRICS[name];
  const suffix = UNIT_SUFFIXES[unit];
  return [name.replaceAll('.', '_'), ...(suffix ? [suffix] : []), ...(kind === 'counter' ? ['total'] : [])].join('_');
}

/** What an instrument of OpenTelemetry is created with. */
export function instrumentOptions(name: MetricName) {
  const { unit, description, bounds }: Metric = METRICS[name];
  return { description, unit, ...(bounds && { advice: { explicitBucketBoundaries: [...bounds] } }) };
}
