/** Archives of the company: SQLite files, read with the SQLite of Node. */
import { basename } from 'node:path';
import { AtlasError, definePlugin, Type } from 'atlas-query';
import {
  FileDatabase,
  fileConnectionOptions,
  fileErrors,
  maskFileUrl,
  moduleBeside,
  parseFileUrl,
  statementFailed,
  tapFileDatabases,
  withoutValues,
} from 'atlas-query/plugins/datasource-kit';

const URLS = {
  schemes: ['archive'],
  ignoredQueries: [],
  memory: 'an archive is a file',
  invalid: (why: string) =>
    new AtlasError(`The archive URL cannot be used: ${why}.`, {
      code: 'configuration_error',
      hint: 'Write "archive:./folder/file.db".',
    }),
};

const Connection = Type.Object(
  {
    ...fileConnectionOptions({ maximum: 8, default: 2 }),
    url: Type.String({ minLength: 1, description: '"archive:PATH", relative to the working directory' }),
  },
  { additionalProperties: false },
);

export const datasourceArchive = definePlugin({
  name: 'datasource-archive',
  version: '1.0.0',
  type: 'datasource',
  description: 'Archives in SQLite files, read-only.',
  options: Type.Object({ connections: Type.Array(Connection) }, { additionalProperties: false }),
  setup(ctx, { connections }) {
    return tapFileDatabases(ctx, connections, (options, watcher) => {
      const path = parseFileUrl(options.url, process.cwd(), URLS);
      return new FileDatabase(
        {
          dbType: 'sqlite',
          path,
          maskedUrl: maskFileUrl('archive', path),
          program: {
            engine: moduleBeside('engine', import.meta.url),
            title: 'archive-engine',
            memoryLimitKib: 1024 * 1024,
            sharedMemoryMib: 128,
            isInterruptible: false,
            hasScratchFolder: false,
            args: [path],
          },
          header: { bytes: 'SQLite format 3\0', at: 0, mayBeEmpty: true },
          errors: fileErrors({ engine: 'archive', reason: 'E_ARCHIVE', file: basename(path) }),
          fromFailure: ({ message, metData }) =>
            statementFailed(`Archive: ${metData ? withoutValues(message) : message}`),
        },
        options,
        watcher,
      );
    });
  },
});
