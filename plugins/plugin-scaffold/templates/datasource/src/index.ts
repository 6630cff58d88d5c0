/** Answers SQL over a folder of JSON files, read-only. */
import { definePlugin } from 'atlas-query';
import {
  FileDatabase,
  fileErrors,
  maskFileUrl,
  moduleBeside,
  parseFileUrl,
  statementFailed,
  tapFileDatabases,
  withoutValues,
} from 'atlas-query/plugins/datasource-kit';
import { folderUrl, Options } from './options.ts';

export const templateDatasource = definePlugin({
  name: 'template-datasource',
  version: '0.1.0',
  type: 'datasource',
  description: 'Answers SQL over folders of JSON files, read-only.',
  options: Options,
  setup(ctx, { connections }) {
    return tapFileDatabases(ctx, connections, (options, watcher) => {
      const path = parseFileUrl(options.url, process.cwd(), folderUrl);
      return new FileDatabase(
        {
          // The SQL dialect: the guard checks statements in it, and the model is told its name.
          dbType: 'sqlite',
          path,
          maskedUrl: maskFileUrl('json', path),
          // Statements run in processes, because nothing else can stop a statement inside a library.
          program: {
            engine: moduleBeside('engine', import.meta.url),
            title: 'template-datasource',
            memoryLimitKib: 1024 * 1024,
            sharedMemoryMib: 128,
            isInterruptible: false,
            hasScratchFolder: false,
            args: [path],
          },
          // A folder has no first bytes to look at.
          header: { bytes: '', at: 0, mayBeEmpty: true },
          errors: fileErrors({ engine: 'JSON folder', reason: 'E_JSON_FOLDER', file: 'the folder' }),
          // A message may quote values of rows once the statement reads them.
          fromFailure: ({ message, metData }) =>
            statementFailed(`JSON folder: ${metData ? withoutValues(message) : message}`),
        },
        options,
        watcher,
      );
    });
  },
});
