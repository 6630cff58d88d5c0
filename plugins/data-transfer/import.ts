/** `atlas import`: sends the semantic files of the working directory to a running server. */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Static } from '@sinclair/typebox';
import { AtlasError, type CliCommand, type CliRun, Type } from '../../kernel/index.ts';
import { type Cli, post, printableText, serverOf } from '../cli/index.ts';
import { layerFolderOf, layerPaths } from '../semantic-layer/index.ts';
import { composition } from './composition.ts';

const REPLY = Type.Object({
  orgId: Type.Union([Type.String(), Type.Null()]),
  imported: Type.Number(),
  changed: Type.Number(),
  entities: Type.Number(),
  metrics: Type.Number(),
  glossaryTerms: Type.Number(),
  problems: Type.Number(),
});

async function filesIn(dir: string, shown: string) {
  const paths = await layerPaths(dir);
  if (paths.length === 0) {
    throw new AtlasError(`There are no semantic files in ${shown}.`, {
      code: 'invalid_request',
      hint: 'Write some with "atlas init", or name their folder in SVC_SEMANTIC_DIR.',
    });
  }
  return Promise.all(
    paths.map(async (path) => {
      try {
        const content = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
          await readFile(join(dir, path)),
        );
        return { path, content };
      } catch (error) {
        throw new AtlasError(`The file ${path} cannot be sent: it is not readable as UTF-8 text.`, {
          code: 'invalid_request',
          hint: 'Save it as UTF-8.',
          cause: error,
        });
      }
    }),
  );
}

/** The server says how much it takes; how to have it take more, only its operator can be told. */
function withHint(error: unknown, bytes: number): unknown {
  if (!(error instanceof AtlasError)) return error;
  const hint =
    error.code === 'payload_too_large'
      ? `The files have ${bytes.toLocaleString('en')} bytes: start the server with SVC_BODY_LIMIT=${2 ** Math.ceil(Math.log2(bytes + 1))}.`
      : error.code === 'auth_error'
        ? 'Give the key or token of an administrator in SVC_API_KEY.'
        : undefined;
  return hint === undefined ? error : new AtlasError(error.message, { code: error.code, hint, cause: error });
}

async function send(cli: Cli, run: CliRun): Promise<number> {
  const { config } = await composition(cli, run);
  const dir = layerFolderOf(config, run.cwd);
  const files = await filesIn(dir, relative(run.cwd, dir) || '.');
  const { connection } = run.options;
  const body = { files, ...(connection !== undefined && { connection }) };
  const server = serverOf(run);
  let reply: Static<typeof REPLY>;
  try {
    reply = await post(server, 'api/v1/admin/semantic/org/import', body, REPLY);
  } catch (error) {
    const { details = [] } = error as { details?: readonly { path?: unknown; message?: unknown }[] };
    for (const { path, message } of details.slice(1)) run.stderr.write(`${printableText(`${path}: ${message}`)}\n`);
    throw withHint(error, Buffer.byteLength(JSON.stringify(body)));
  }
  const { orgId, imported, changed, entities, metrics, glossaryTerms, problems } = reply;
  const layer = orgId === null ? 'the shared layer' : `the layer of organization ${orgId}`;
  const lines = [
    `Imported ${imported} files into ${layer} of ${server.url}, ${changed} of them new or changed.`,
    `It has ${entities} entities, ${metrics} metrics and ${glossaryTerms} glossary terms now.`,
    ...(problems > 0 ? [`${problems} parts of it cannot be used there; the server's log names them.`] : []),
  ];
  run.stdout.write(`${printableText(lines.join('\n'))}\n`);
  return 0;
}

export const importCommand = (cli: Cli): CliCommand => ({
  name: 'import',
  summary: "send the semantic files of this folder to a running server, for the administrator's active organization",
  options: [{ flags: '--connection <name>', description: 'connection of the entities that name none' }],
  examples: [
    'SVC_API_KEY=… atlas import',
    'SVC_API_URL=https://atlas.example.com SVC_API_KEY=… atlas import --connection warehouse',
  ],
  run: (run) => send(cli, run),
});
