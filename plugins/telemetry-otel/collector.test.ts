import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { expect, it } from 'vitest';
import type { Logger } from '../../kernel/index.ts';
import { Collector } from './collector.ts';

it('tells once of each signal that a collector does not take', async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const told: string[] = [];
  const tell = (level: string) => (fields: object) => {
    told.push(`${level} ${'signal' in fields ? fields.signal : ''}`);
  };
  const log: Logger = { debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') };
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const collector = new Collector(endpoint, { headers: {} }, log);
  const traces = collector.traceExporter();
  const provider = new MeterProvider({ readers: [collector.metricReader(60_000)] });
  const counter = provider.getMeter('test').createCounter('things');
  for (let count = 0; count < 3; count += 1) {
    await new Promise((resolve) => traces.export([], resolve));
    counter.add(1);
    await provider.forceFlush();
  }
  expect(told).toEqual(['warn metrics']);
  await Promise.all([traces.shutdown(), provider.shutdown()]);
  server.closeAllConnections();
  server.close();
});
