/** `atlas index`: builds the text index of the semantic layer, as the server does for its first question, and measures it. */
import { AtlasError, type CliCommand, type CliRun } from '../../../kernel/index.ts';
import type { Cli } from '../api.ts';
import { renderTable, terminalStyle } from '../render.ts';

async function rebuild(run: CliRun, { compose }: Cli): Promise<number> {
  // No model is asked: whichever keys are set, none of them may stop this.
  const { config } = await compose({ ...run, env: { ...run.env, SVC_PROVIDER: 'offline' } });
  const { layerFolderOf, layerIndexes } = await import('../../semantic-layer/index.ts');
  const indexes = await layerIndexes(layerFolderOf(config, run.cwd), run.signal);
  run.signal.throwIfAborted();
  if (indexes.every(({ documents }) => documents === 0)) {
    throw new AtlasError('There is no semantic layer to index.', {
      hint: 'Write one with "atlas init", or name its folder in SVC_SEMANTIC_DIR.',
    });
  }
  const isStats = run.options.stats === true;
  const problems = indexes.reduce((sum, index) => sum + index.problems, 0);
  if (run.options.json === true) {
    run.stdout.write(`${JSON.stringify({ layers: indexes }, undefined, 2)}\n`);
  } else if (isStats) {
    const columns = ['layer', 'entities', 'columns', 'metrics', 'terms', 'documents', 'words', 'problems', 'buildMs'];
    run.stdout.write(
      `${renderTable({ columns, rows: indexes as never }, { ...terminalStyle(run.stdout), maxRows: indexes.length })}\n`,
    );
  } else {
    const documents = indexes.reduce((sum, index) => sum + index.documents, 0);
    run.stdout.write(
      `Indexed ${documents} entities, metrics and terms of ${indexes.length === 1 ? '1 layer' : `${indexes.length} layers`}.\n`,
    );
    run.stdout.write('A running server indexes changed files by itself within 5 seconds.\n');
  }
  if (problems === 0) return 0;
  run.stderr.write(
    `${problems === 1 ? '1 part' : `${problems} parts`} of the layer cannot be used; "atlas validate" names what is wrong.\n`,
  );
  return isStats ? 0 : 1;
}

export const index = (cli: Cli): CliCommand => ({
  name: 'index',
  summary: 'rebuild the text index of the semantic layer, and measure it',
  options: [
    { flags: '--stats', description: 'print statistics only' },
    { flags: '--json', description: 'print the statistics as JSON' },
  ],
  examples: ['atlas index', 'atlas index --stats --json'],
  exitCodes: { 1: 'parts of the layer cannot be used, or an error' },
  run: (run) => rebuild(run, cli),
});
