/** Describes what the routes take and answer. */
import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { oneOf, orNull, page, pageQuery, sortable } from '../admin-kit/index.ts';
import { CatalogFile, EntityFile, GlossaryFile, MetricsFile } from '../semantic-layer/index.ts';

const closed = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });
const Problem = Type.Object(
  {
    line: Type.Integer({ minimum: 1 }),
    column: Type.Integer({ minimum: 1 }),
    message: Type.String(),
  },
  { title: 'SemanticFileProblem', description: 'What is wrong with a file, and where.' },
);

/** A file and what is wrong with it. */
const shownFile = {
  file: Type.String({ description: "Relative to the layer's folder: `entities/orders.yml`." }),
  source: Type.String({ description: '`default`, or the name of the folder of a source.' }),
  problems: Type.Array(Problem),
};

const name = Type.String({ description: 'Under which the entity is found.' });

export const EntityList = Type.Object({
  entities: Type.Array(
    Type.Object(
      {
        name,
        table: orNull(Type.String({ description: '`null`: the file cannot be used.' })),
        description: Type.String(),
        rowCount: orNull(Type.Number({ description: 'About how many rows it had when it was profiled.' })),
        columnCount: Type.Integer(),
        joinCount: Type.Integer(),
        measureCount: Type.Integer(),
        type: orNull(Type.String()),
        connection: orNull(Type.String({ description: '`null`: the default connection.' })),
        ...shownFile,
      },
      { title: 'EntitySummary' },
    ),
  ),
  total: Type.Integer(),
  problems: Type.Array(
    Type.Object(
      { file: Type.String(), line: Type.Integer(), column: Type.Integer(), message: Type.String() },
      { title: 'SemanticProblem' },
    ),
    { description: 'What is wrong with the layer, in all of its files.' },
  ),
});
export type EntityList = Static<typeof EntityList>;

export const EntityParams = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Name of the entity, or of its file without `.yml`.',
  }),
});

export const EntityDetail = Type.Object({
  entity: orNull(EntityFile),
  name,
  ...shownFile,
});
export type EntityDetail = Static<typeof EntityDetail>;

/** Files of one kind, by source. */
const bySource = <P extends TProperties>(parts: P, title: string) =>
  Type.Array(
    Type.Object(
      { source: shownFile.source, files: Type.Array(Type.Object({ ...shownFile, ...parts }, { title })) },
      { title: `${title}sOfSource` },
    ),
  );

const { metrics } = MetricsFile.anyOf[0].properties;

export const MetricList = Type.Object({ metrics: bySource({ metrics }, 'MetricFile') });
export type MetricList = Static<typeof MetricList>;

export const GlossaryList = Type.Object({
  glossary: Type.Array(Type.Object({ ...shownFile, ...GlossaryFile.properties }, { title: 'GlossaryFile' })),
});
export type GlossaryList = Static<typeof GlossaryList>;

export const CatalogReply = Type.Object({
  catalog: orNull(CatalogFile),
  files: Type.Optional(Type.Array(Type.Object(shownFile, { title: 'CatalogPlace' }))),
});
export type CatalogReply = Static<typeof CatalogReply>;

export const SemanticStats = Type.Object({
  totalEntities: Type.Integer(),
  totalColumns: Type.Integer(),
  totalJoins: Type.Integer(),
  totalMeasures: Type.Integer(),
  coverageGaps: Type.Object(
    { noDescription: Type.Integer(), noColumns: Type.Integer(), noJoins: Type.Integer() },
    { description: 'How many entities have none.' },
  ),
});

const part = (description: string) => Type.String({ minLength: 1, description });
const pathParts = {
  file: part('`catalog.yml`, `glossary.yml`; in `entities` and `metrics` any name that ends in `.yml` or `.yaml`.'),
  dir: part('`entities`, `metrics`, or the folder of a source.'),
  source: part('The folder of a source.'),
};

/** The places of a layer's files, as paths of routes. `name` tells the operations apart. */
export const FILE_PATHS = [
  { path: '/raw/:file', name: 'File', params: Type.Object({ file: pathParts.file }) },
  { path: '/raw/:dir/:file', name: 'FileInFolder', params: Type.Object({ dir: pathParts.dir, file: pathParts.file }) },
  { path: '/raw/:source/:dir/:file', name: 'FileOfSource', params: Type.Object(pathParts) },
] as const;

export const Yaml = Type.String({ contentMediaType: 'application/yaml', description: 'The file as it is.' });

export const ETag = Type.String({ description: 'The version of the file in quotes, for `If-Match` of a change.' });

const version = Type.String({ description: 'Changes with the content of the file; also its `ETag`.' });
const expected = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'The version that the file must have; else the answer is 409.',
  }),
);

export const FileBody = closed({
  content: Type.String({ description: 'The YAML text, at most 512 KiB in UTF-8.' }),
  version: expected,
});

export const DeleteQuery = Type.Object({ version: expected });

export const RestoreBody = Type.Object(
  { version: expected },
  { additionalProperties: false, default: {}, errorMessage: 'must be a JSON object' },
);

export const ChangedFile = Type.Object(
  {
    file: shownFile.file,
    version,
    changed: Type.Boolean({ description: 'Whether the content is another one now.' }),
    copiedSharedLayer: Type.Boolean({
      description: 'Whether this was the first change of the organization, before which the shared layer was copied.',
    }),
    problems: Type.Array(Problem, { description: 'What the file has and the databases lack.' }),
  },
  { title: 'ChangedSemanticFile' },
);
export type ChangedFile = Static<typeof ChangedFile>;

const fileVersion = {
  id: Type.String({ format: 'uuid' }),
  file: shownFile.file,
  number: Type.Integer({ description: 'Counts the earlier versions of the file.' }),
  version,
  bytes: Type.Integer(),
  change: oneOf(['updated', 'deleted', 'imported', 'restored', 'interrupted'], {
    description: 'What replaced it; `interrupted`: a change whose server was killed, found afterwards.',
  }),
  replacedAt: Type.String({ format: 'date-time' }),
  replacedBy: orNull(Type.String({ description: 'Id of the user.' })),
  replacedByLabel: orNull(Type.String()),
};

export const VersionParams = Type.Object({ id: Type.String({ format: 'uuid' }) });

export const VERSION_ORDERS = sortable(
  { replacedAt: ['replaced_at', 'number', 'id'].map((column) => ({ column })) },
  '-replacedAt',
);

export const VersionQuery = Type.Object({
  file: Type.Optional(Type.String({ minLength: 1, description: 'Of this file only: `entities/orders.yml`.' })),
  ...pageQuery({ limit: 50, max: 200 }),
  ...VERSION_ORDERS.query,
});

export const FileVersion = Type.Object(fileVersion, { title: 'SemanticFileVersion' });
export type FileVersion = Static<typeof FileVersion>;

export const FileVersionPage = page('versions', FileVersion);

export const FileVersionDetail = Type.Object({ ...fileVersion, content: Type.String() });
export type FileVersionDetail = Static<typeof FileVersionDetail>;

export const FileVersionDiff = Type.Object({
  id: fileVersion.id,
  file: shownFile.file,
  from: version,
  to: orNull(Type.String({ description: 'The present version; `null`: the file is deleted.' })),
  diff: Type.String({ description: 'A unified diff; empty when nothing changed.' }),
  added: Type.Integer({ description: 'Lines.' }),
  removed: Type.Integer({ description: 'Lines.' }),
});

export const ImportBody = closed({
  files: Type.Array(
    Type.Object(
      {
        path: Type.String({
          minLength: 1,
          maxLength: 512,
          description: "Relative to the layer's folder: `entities/orders.yml`, `warehouse/metrics/stock.yml`.",
        }),
        content: Type.String({ description: 'The YAML text, at most 512 KiB in UTF-8.' }),
      },
      { additionalProperties: false, title: 'SemanticFile' },
    ),
    { minItems: 1, maxItems: 5_000 },
  ),
  connection: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 63,
      description: 'Connection of the imported entities that name none and stand in no folder of a source.',
    }),
  ),
});

export const ImportReply = Type.Object({
  orgId: orNull(Type.String({ description: '`null`: the shared layer was written.' })),
  imported: Type.Integer({ description: 'Files that were sent.' }),
  changed: Type.Integer({ description: 'Files of them that are new or have another content now.' }),
  copiedSharedLayer: Type.Boolean({
    description: 'Whether this was the first import, before which the shared layer was copied.',
  }),
  entities: Type.Integer({ description: 'Entities of the layer after the import.' }),
  metrics: Type.Integer(),
  glossaryTerms: Type.Integer(),
  problems: Type.Integer({ description: 'What the layer has and the databases lack.' }),
});
