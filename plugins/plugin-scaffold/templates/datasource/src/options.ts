/** Declares the options: they are checked by this schema when Atlas starts. */
import { fileURLToPath } from 'node:url';
import { AtlasError, Type } from 'atlas-query';
import { fileConnectionOptions } from 'atlas-query/plugins/datasource-kit';

/** The example that comes with the package. */
const EXAMPLE = `json:${fileURLToPath(new URL('../data', import.meta.url))}`;

/** How a folder is named: `json:./data`. */
export const folderUrl = {
  schemes: ['json'],
  ignoredQueries: [],
  memory: 'the files are read from a folder',
  invalid: (why: string) =>
    new AtlasError(`The URL of the JSON folder cannot be used: ${why}.`, {
      code: 'configuration_error',
      hint: 'Write "json:./data".',
    }),
};

const Connection = Type.Object(
  {
    ...fileConnectionOptions({ maximum: 8, default: 2 }),
    url: Type.String({ minLength: 1, description: '"json:FOLDER", relative to the working directory' }),
  },
  { additionalProperties: false },
);

export const Options = Type.Object(
  {
    connections: Type.Array(Connection, {
      minItems: 1,
      default: [{ id: 'json-files', url: EXAMPLE }],
      description: 'folders, each a connection with one table a file',
    }),
  },
  { additionalProperties: false },
);
