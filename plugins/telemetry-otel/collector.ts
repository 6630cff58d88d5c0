/** Exports telemetry to a collector by OTLP over HTTP. One that is down costs a bounded queue and one line of the log. */
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { type IMetricReader, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { type Logger, messageOf } from '../../kernel/index.ts';

type Done = Parameters<SpanExporter['export']>[1];
type Result = Parameters<Done>[0];

type Signal = 'traces' | 'metrics';

const SUCCESS: Result = { code: 0 };

export class Collector {
  /** Longest time one export may take, its retries included. */
  readonly timeoutMs = 5_000;
  readonly #endpoint: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #log: Logger;
  #isClosing = false;

  constructor(endpoint: string, { headers }: { readonly headers: Readonly<Record<string, string>> }, log: Logger) {
    this.#endpoint = endpoint.replace(/\/+$/, '');
    this.#headers = headers;
    this.#log = log;
  }

  traceExporter(): SpanExporter {
    return this.#watched('traces', new OTLPTraceExporter(this.#config('traces')));
  }

  metricReader(intervalMs: number): IMetricReader {
    return new PeriodicExportingMetricReader({
      exporter: this.#watched<PushMetricExporter>('metrics', new OTLPMetricExporter(this.#config('metrics'))),
      exportIntervalMillis: intervalMs,
      exportTimeoutMillis: Math.min(intervalMs, this.timeoutMs + 1_000),
    });
  }

  /** From now on nothing more is sent to a collector that did not answer last time: a stop need not wait for it. */
  close(): void {
    this.#isClosing = true;
  }

  #config(signal: Signal) {
    return {
      url: `${this.#endpoint}/v1/${signal}`,
      headers: { ...this.#headers },
      timeoutMillis: this.timeoutMs,
    };
  }

  /** The exporter, with its failures heard here: the library would tell them to a handler of the whole process. */
  #watched<E extends { export(items: never, done: Done): void }>(signal: Signal, exporter: E): E {
    // A collector may take one signal and not the other.
    let isDown = false;
    const send = exporter.export.bind(exporter);
    exporter.export = (items: never, done: Done) => {
      if (this.#isClosing && isDown) return done(SUCCESS);
      return send(items, (result) => {
        const wasDown = isDown;
        isDown = result.code !== SUCCESS.code;
        if (isDown !== wasDown) this.#tell(signal, result);
        done(SUCCESS);
      });
    };
    return exporter;
  }

  #tell(signal: Signal, { code, error }: Result): void {
    const fields = { endpoint: this.#endpoint, signal };
    if (code === SUCCESS.code) this.#log.info(fields, 'Telemetry is exported again.');
    else {
      this.#log.warn(
        { ...fields, error: messageOf(error) },
        'Telemetry cannot be exported. Atlas goes on without it; this is not said again until it works.',
      );
    }
  }
}
