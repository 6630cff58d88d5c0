/** Writes a selector of Prometheus for a metric. */
import { METRICS, type Metric, type MetricName, prometheusName } from '../../plugins/telemetry-otel/index.ts';

/** Labels that the scraper adds. */
const OF_SCRAPE = ['job', 'instance'];

/**
 * `series('http.server.request.duration', { job: 'atlas' }, '_count')`: a text is equal to the label, a regular
 * expression matches it. Throws for a label that the metric does not have.
 */
export function series(
  name: MetricName,
  labels: Readonly<Record<string, string | RegExp>> = {},
  ending: '' | '_count' | '_sum' | '_bucket' = '',
): string {
  const { attributes }: Metric = METRICS[name];
  const unknown = Object.keys(labels).find((label) => ![...OF_SCRAPE, ...attributes].includes(label));
  if (unknown !== undefined) throw new Error(`The metric ${name} has no attribute "${unknown}".`);
  const matchers = Object.entries(labels).map(([label, value]) => {
    const operator = typeof value === 'string' ? '=' : '=~';
    return `${label.replaceAll('.', '_')}${operator}"${typeof value === 'string' ? value : value.source}"`;
  });
  return `${prometheusName(name)}${ending}${matchers.length === 0 ? '' : `{${matchers.join(',')}}`}`;
}
