/** Declares what an archive holds: a ZIP file of tables as JSON lines, semantic files, and a manifest of all of them. */
import { type Static, Type } from '../../kernel/index.ts';

export const FORMAT = 'atlas-archive';
/** Grows when an older version of Atlas could not read the archive. */
export const FORMAT_VERSION = 1;
export const MANIFEST_PATH = 'manifest.json';
export const FILES_FOLDER = 'semantic/';
export const tablePath = (table: string) => `tables/${table}.ndjson`;

const Part = {
  /** Within the archive. */
  path: Type.String({ minLength: 1, maxLength: 1_024 }),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
};

export const TablePart = Type.Object({
  ...Part,
  table: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$' }),
  /** Name of the plugin that has the table. */
  plugin: Type.String({ maxLength: 200 }),
  columns: Type.Array(Type.String({ minLength: 1, maxLength: 63 }), { minItems: 1, maxItems: 1_000 }),
  rows: Type.Integer({ minimum: 0 }),
});
export type TablePart = Static<typeof TablePart>;

export const FilePart = Type.Object(Part);
export type FilePart = Static<typeof FilePart>;

/** Checked first, so that an archive of a later version is called that, whatever else it has. */
export const Head = Type.Object({ format: Type.Literal(FORMAT), version: Type.Integer({ minimum: 1 }) });

export const Manifest = Type.Object({
  ...Head.properties,
  createdAt: Type.String({ maxLength: 30 }),
  /** Version of Atlas that made it. */
  atlas: Type.String({ maxLength: 50 }),
  /** Keys with which secrets in the tables are encrypted. */
  secretKeys: Type.Array(Type.String({ pattern: '^[0-9a-f]{8}$' }), { maxItems: 1_000 }),
  counts: Type.Object({
    tables: Type.Integer({ minimum: 0 }),
    rows: Type.Integer({ minimum: 0 }),
    files: Type.Integer({ minimum: 0 }),
  }),
  tables: Type.Array(TablePart, { maxItems: 10_000 }),
  files: Type.Array(FilePart, { maxItems: 200_000 }),
});
export type Manifest = Static<typeof Manifest>;
