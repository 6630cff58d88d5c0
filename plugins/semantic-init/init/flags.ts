/** Declares the flags of `atlas init`. */
import { type CliOption, type CliRun, Type } from '../../../kernel/index.ts';
import { wrongUse } from '../../cli/index.ts';
import { LANGUAGE_CODES } from '../../language-kit/index.ts';

export const FOLDER_NAME = Type.String({
  pattern: '^[a-z][a-z0-9_-]{0,62}$',
  expected: 'a name of lower-case letters, digits, _ and - that begins with a letter',
});
const SOURCE_NAME = Type.String({
  pattern: '^(?!default$)[a-z][a-z0-9_-]{0,62}$',
  expected: 'a name of lower-case letters, digits, _ and - that begins with a letter, other than default',
});
const ORGANIZATION_ID = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
  expected: 'the id of an organization',
});

const CODES = LANGUAGE_CODES.join('|');
const LANGUAGES = Type.String({
  pattern: `^(${CODES})(,(${CODES}))*$`,
  expected: `languages out of ${LANGUAGE_CODES.join(', ')}, separated by commas`,
});

export const INIT_OPTIONS: readonly CliOption[] = [
  { flags: '--tables <names>', description: 'only these tables, separated by commas' },
  { flags: '--schema <name>', description: "schema of the tables; default: SVC_SCHEMA, else the connection's own" },
  {
    flags: '--source <name>',
    description: 'write to the folder of this name in the layer',
    schema: SOURCE_NAME,
    conflicts: ['--connection'],
  },
  {
    flags: '--connection <name>',
    description: 'read this connection, and write to the folder of its name',
    conflicts: ['--csv', '--parquet'],
  },
  { flags: '--csv <files>', description: 'import CSV files, folders or patterns first, one table for each file' },
  { flags: '--parquet <files>', description: 'the same for Parquet files' },
  {
    flags: '--from <files>',
    description:
      'take names, texts, measures and metrics from a dbt manifest.json, Cube or LookML files, and verified queries from Snowflake',
  },
  {
    flags: '--enrich',
    description: 'let the configured model add descriptions, synonyms and use cases where there are none',
  },
  {
    flags: '--languages <codes>',
    description: `with --enrich: words for questions in these languages too, separated by commas: ${LANGUAGE_CODES.join(', ')}`,
    schema: LANGUAGES,
  },
  { flags: '--no-enrich', description: 'ask no model, which is the default' },
  {
    flags: '--demo [simple|cybersec|ecommerce]',
    description: 'load a demo and its layer instead; default: simple',
    conflicts: [
      ...['--tables', '--schema', '--source', '--connection', '--csv', '--parquet', '--from', '--org', '--enrich'],
      ...['--languages', '--no-import', '--force'],
    ],
  },
  {
    flags: '--org <orgId>',
    description: 'import into the layer of this organization; needs managed authentication',
    schema: ORGANIZATION_ID,
  },
  {
    flags: '--no-import',
    description:
      'with --org: write the files only: no earlier versions, no audit entry, nothing in the internal database',
  },
  { flags: '--no-input', description: 'ask nothing on the terminal, as in scripts and with CI set' },
  { flags: '--force', description: 'continue when more than a fifth of the tables cannot be read' },
];

/** Throws one sentence when a flag is given without the one that it belongs to. */
export function checkFlags({ options }: CliRun): void {
  if (options.import === false && options.org === undefined) {
    throw wrongUse('--no-import belongs to --org.', 'Give both or none.');
  }
  if (options.languages !== undefined && options.enrich !== true) {
    throw wrongUse('--languages belongs to --enrich.', 'Give both or none.');
  }
}
