import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { requirePackages } from './index.ts';

it('names the packages that are missing, and how to install them', () => {
  const refusal = (message: string, hint: string) =>
    expect.objectContaining({ code: 'configuration_error', message, hint });
  expect(() => requirePackages(['mysql2', '@acme/driver'], import.meta.url)).toThrow(
    refusal('The package "@acme/driver" is not installed.', 'Run: npm i @acme/driver'),
  );
  expect(() => requirePackages(['acme', '@acme/driver'], import.meta.url)).toThrow(
    refusal('The packages "acme", "@acme/driver" are not installed.', 'Run: npm i acme @acme/driver'),
  );
});

it.each(['mysql2', '@duckdb/node-api', 'better-auth', '@opentelemetry/api'])('takes %s, which is installed', (name) => {
  expect(() => requirePackages([name], import.meta.url)).not.toThrow();
});

it('is asked for every optional package', () => {
  const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { peerDependencies: object };
  const plugins = globSync('plugins/*/{index,driver,connection,s3-storage}.ts').map((path) =>
    readFileSync(path, 'utf8'),
  );
  const asking = plugins.filter((source) => source.includes('requirePackages(')).join('');
  const loading = ['plugins/model-ai-sdk/providers.ts', 'plugins/delivery-kit/chart-pictures.ts']
    .map((path) => readFileSync(path, 'utf8'))
    .join('');
  const optional = Object.keys(peerDependencies).filter((name) => name !== 'vitest');
  expect(optional.filter((name) => ![asking, loading].some((source) => source.includes(`'${name}'`)))).toEqual([]);
});
