import { definePlugin } from '../../kernel/index.ts';
import { tapServerDatabases } from '../datasource-kit/index.ts';
import { DatasourceTrinoOptions } from './options.ts';
import { TRINO_ENGINE } from './registration.ts';

export { TRINO_SCHEMES } from './schemes.ts';

/** Trino over its HTTP protocol, each statement read-only and checked a second time by the engine. */
export const datasourceTrino = definePlugin({
  name: 'datasource-trino',
  version: '1.0.0',
  type: 'datasource',
  description: 'Trino clusters, read-only, over their HTTP protocol.',
  options: DatasourceTrinoOptions,
  setup(ctx, { connections }) {
    return tapServerDatabases(
      ctx,
      connections,
      async (...given) => new (await import('./driver.ts')).TrinoDriver(...given),
      TRINO_ENGINE,
    );
  },
});
